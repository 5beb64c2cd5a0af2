"""HTTP: Chalice blueprints by resource, contracts, errors. Knows HTTP and nothing else."""
