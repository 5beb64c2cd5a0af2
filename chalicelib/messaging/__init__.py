"""SQS (timers, notices, turns) and SNS (people, operators)."""
