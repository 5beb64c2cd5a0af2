"""DynamoDB: the only place with expressions and attribute names."""
