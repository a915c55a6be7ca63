"""An application for tests: messages in a conversation may say how the turn misbehaves.

``hang``: C code that gives up neither the processor's lock of Python nor the turn, for ten minutes. ``work 5``: five
seconds of computing that looks at its limits as the runtime does. ``die``: the process of the turn kills itself.
``wait 5``: holds the process for five seconds without computing, and looks at its limits. Whatever else is said is
answered as the agent does.
"""
