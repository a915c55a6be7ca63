"""Running turns: queue, leases, workers, the sweeper, and what a run is set up with (docs/architecture.md §2)."""
