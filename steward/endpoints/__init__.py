"""What forms an answer: the reporter, which needs no model; others later."""
