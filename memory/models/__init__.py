"""What agents store and the log of it. One module for each system (docs/spec 03 §1, 11)."""

from memory.models.banks import Bank, BankEntry
from memory.models.blocks import Block
from memory.models.facts import NEAR, Fact, Scope
from memory.models.fields import ByteOrderedField, ExactJSONField
from memory.models.log import ChainCheck, ChangeHead, Erasure, FactChange, System
from memory.models.saved_views import SavedView
from memory.models.stores import Artifact, SessionMeta, StoreDefinition, StoreRecord

__all__ = [
    "NEAR",
    "Artifact",
    "Bank",
    "BankEntry",
    "Block",
    "ByteOrderedField",
    "ChainCheck",
    "ChangeHead",
    "Erasure",
    "ExactJSONField",
    "Fact",
    "FactChange",
    "SavedView",
    "Scope",
    "SessionMeta",
    "StoreDefinition",
    "StoreRecord",
    "System",
]
