"""What an editor shows about a text (docs/spec 12 §1): colours, outline, completion, explanations, fixes."""
