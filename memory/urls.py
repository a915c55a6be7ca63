"""Addresses of the pages of ``memory``."""

from django.urls import path

from memory.banks import views as banks
from memory.blocks import views as blocks
from memory.erasure import views as erasure_views
from memory.facts import inspector_views, views
from memory.log import views as log_views
from memory.overview import views as overview_views
from memory.stores import record_views, session_views
from memory.stores import views as stores

app_name = "memory"
urlpatterns = [
    path("p/<slug:slug>/memory/", overview_views.memory, name="memory"),
    path("p/<slug:slug>/facts/", views.facts, name="facts"),
    path("p/<slug:slug>/facts/changes/", log_views.changes, name="changes"),
    path("p/<slug:slug>/facts/changes/verify/", log_views.verify, name="verify"),
    path("p/<slug:slug>/facts/delete-found/", inspector_views.delete_found, name="delete-found"),
    path("p/<slug:slug>/facts/export/", inspector_views.export, name="export"),
    path("p/<slug:slug>/facts/names/", inspector_views.names, name="names"),
    path("p/<slug:slug>/facts/ttl/", inspector_views.ttl, name="ttl"),
    path("p/<slug:slug>/facts/views/", inspector_views.view_save, name="view-save"),
    path("p/<slug:slug>/facts/views/<int:pk>/delete/", inspector_views.view_delete, name="view-delete"),
    path("p/<slug:slug>/facts/write/", views.write, name="write"),
    path("p/<slug:slug>/facts/delete/", views.delete, name="delete"),
    path("p/<slug:slug>/facts/<int:pk>/", views.fact, name="fact"),
    path("p/<slug:slug>/facts/<int:pk>/reveal/", views.reveal, name="reveal"),
    path("p/<slug:slug>/facts/<int:pk>/expire/", views.expire, name="expire"),
    path("p/<slug:slug>/facts/<int:pk>/restore/", inspector_views.restore, name="restore"),
    path("p/<slug:slug>/facts/<int:pk>/readers/", inspector_views.readers, name="readers"),
    path("p/<slug:slug>/erasures/", erasure_views.erasures, name="erasures"),
    path("p/<slug:slug>/erasures/new/", erasure_views.erase, name="erase"),
    path("p/<slug:slug>/erasures/<int:number>/", erasure_views.receipt, name="erasure"),
    path("p/<slug:slug>/blocks/", blocks.blocks, name="blocks"),
    path("p/<slug:slug>/blocks/<int:pk>/", blocks.block, name="block"),
    path("p/<slug:slug>/blocks/<int:pk>/edit/", blocks.block_edit, name="block-edit"),
    path("p/<slug:slug>/blocks/<int:pk>/delete/", blocks.block_delete, name="block-delete"),
    path("p/<slug:slug>/banks/", banks.banks, name="banks"),
    path("p/<slug:slug>/banks/seed/", banks.bank_seed, name="bank-seed"),
    path("p/<slug:slug>/banks/texts/<int:pk>/", banks.bank_text, name="bank-text"),
    path("p/<slug:slug>/banks/texts/<int:pk>/edit/", banks.bank_text_edit, name="bank-text-edit"),
    path("p/<slug:slug>/banks/texts/<int:pk>/delete/", banks.bank_text_delete, name="bank-text-delete"),
    path("p/<slug:slug>/stores/", stores.stores, name="stores"),
    path("p/<slug:slug>/stores/new/", stores.store_new, name="store-new"),
    path("p/<slug:slug>/stores/preview/", stores.store_preview, name="store-preview"),
    path("p/<slug:slug>/stores/export/", stores.stores_export, name="stores-export"),
    path("p/<slug:slug>/stores/import/", stores.stores_import, name="stores-import"),
    path("p/<slug:slug>/store/<str:name>/", stores.store, name="store"),
    path("p/<slug:slug>/store/<str:name>/edit/", stores.store_edit, name="store-edit"),
    path("p/<slug:slug>/store/<str:name>/delete/", stores.store_delete, name="store-delete"),
    path("p/<slug:slug>/records/", record_views.records, name="records"),
    path("p/<slug:slug>/records/<int:pk>/", record_views.record, name="record"),
    path("p/<slug:slug>/records/<int:pk>/edit/", record_views.record_edit, name="record-edit"),
    path("p/<slug:slug>/records/<int:pk>/delete/", record_views.record_delete, name="record-delete"),
    path("p/<slug:slug>/sessions/<str:session>/", session_views.session, name="session"),
    path("p/<slug:slug>/sessions/<str:session>/upload/", session_views.artifact_upload, name="artifact-upload"),
    path("p/<slug:slug>/artifacts/<int:pk>/active/", session_views.artifact_toggle, name="artifact-toggle"),
    path("p/<slug:slug>/artifacts/<int:pk>/delete/", session_views.artifact_delete, name="artifact-delete"),
    path("artifacts/<str:token>/", session_views.artifact_download, name="artifact-download"),
]
