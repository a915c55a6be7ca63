"""``project.yaml`` read and judged against its declaration in ``abl.language.project_file`` (docs/spec 12 §3.1)."""
