# Recipes for those who use just; each is one script, which works without it.

# Regenerates config/genai-prices.json from the newest price package.
update_prices version="latest":
    scripts/update-prices {{version}}
