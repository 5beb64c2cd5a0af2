"""What is not HTTP: an event dict to a use case to a summary dict. `app.py` names them to
Lambda."""
