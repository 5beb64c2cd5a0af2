"""What must hold of a package before anybody deploys it; findings are sentences."""
