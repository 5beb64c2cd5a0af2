"""Pages for people: view models and templates. Gives `Page` values and knows no HTTP framework."""
