"""Addresses of the API of ``memory``."""

from django.urls import path

from memory.banks import api as banks
from memory.blocks import api as blocks
from memory.erasure import api as erasure_api
from memory.facts import api, revising_api
from memory.stores import api as stores
from memory.stores import own_api as own_stores
from memory.stores import record_api, session_api
from memory.token_api import slashed

urlpatterns = [
    path("projects/<slug:slug>/facts/", api.FactList.as_view(), name="api-facts"),
    path("projects/<slug:slug>/facts/<int:pk>/", api.FactDetail.as_view(), name="api-fact"),
    path("projects/<slug:slug>/facts/<int:pk>/history/", api.FactHistory.as_view(), name="api-fact-history"),
    path("projects/<slug:slug>/facts/<int:pk>/reveal/", api.FactReveal.as_view(), name="api-fact-reveal"),
    path("projects/<slug:slug>/facts/<int:pk>/restore/", revising_api.FactRestore.as_view(), name="api-fact-restore"),
    path("projects/<slug:slug>/facts/<int:pk>/ttl/", revising_api.FactTtl.as_view(), name="api-fact-ttl"),
    path("projects/<slug:slug>/facts/delete-found/", revising_api.FactsFound.as_view(), name="api-facts-found"),
    path("projects/<slug:slug>/facts/export/", revising_api.FactExport.as_view(), name="api-facts-export"),
    path("projects/<slug:slug>/facts/tree/", revising_api.FactTree.as_view(), name="api-facts-tree"),
    path("projects/<slug:slug>/facts/verification/", revising_api.LogVerification.as_view(), name="api-facts-log"),
    path("projects/<slug:slug>/erasures/", erasure_api.ErasureList.as_view(), name="api-erasures"),
    path("projects/<slug:slug>/erasures/<int:number>/", erasure_api.ErasureDetail.as_view(), name="api-erasure"),
    *slashed("memory/blocks", blocks.BlockList, "api-blocks"),
    *slashed("memory/blocks/<str:block_type>", blocks.BlockDetail, "api-block"),
    *slashed("memory/recall", blocks.Recall, "api-recall"),
    *slashed("memory/banks", banks.BankList, "api-banks"),
    *slashed("memory/banks/<str:bank>", banks.BankDetail, "api-bank"),
    *slashed("memory/banks/<str:bank>/search", banks.BankSearch, "api-bank-search"),
    *slashed("memory/banks/<str:bank>/entries", banks.EntryList, "api-bank-entries"),
    *slashed("memory/banks/<str:bank>/entries/<str:agent>", banks.EntryDetail, "api-bank-entry"),
    path("projects/<slug:slug>/stores/", stores.StoreList.as_view(), name="api-stores"),
    path("projects/<slug:slug>/stores/<str:name>/", stores.StoreDetail.as_view(), name="api-store"),
    path("projects/<slug:slug>/store-check/", stores.SchemaCheck.as_view(), name="api-store-check"),
    path("projects/<slug:slug>/store-definitions/", stores.Definitions.as_view(), name="api-store-definitions"),
    path("projects/<slug:slug>/records/", record_api.RecordList.as_view(), name="api-records"),
    path("projects/<slug:slug>/records/<int:pk>/", record_api.RecordDetail.as_view(), name="api-record"),
    path("projects/<slug:slug>/sessions/<str:session>/", session_api.SessionDetail.as_view(), name="api-session"),
    path(
        "projects/<slug:slug>/sessions/<str:session>/artifacts/",
        session_api.ArtifactList.as_view(),
        name="api-artifacts",
    ),
    path("projects/<slug:slug>/artifacts/<int:pk>/", session_api.ArtifactDetail.as_view(), name="api-artifact"),
    *slashed("memory/stores", own_stores.OwnStoreList, "api-own-stores"),
    *slashed("memory/stores/<str:name>", own_stores.OwnStore, "api-own-store"),
]
