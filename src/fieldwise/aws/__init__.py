"""The results resolver for AWS: a Lambda function that answers AppSync and keeps what it computed in DynamoDB.

These files and ``bulk_aggregator.py`` need nothing but Python and boto3, and import nothing else of the package:
``fieldwise vendor-lambda DIR --resolver`` copies them as they are.
"""
