"""Programs that write the product's data; nothing here is installed."""
