"""Twenty decisions of a made-up project."""

# What was decided, and how somebody asks for it later in other words.
DECISIONS = [
    ("We keep timestamps in milliseconds since 1970, never in seconds.", "which unit do timestamps have?"),
    ("The retry limit for the payment gateway is five attempts with jitter.", "how often do we retry payments?"),
    ("Postgres runs on port 5544 locally because 5432 is taken by the old cluster.", "which port does the local database use?"),
    ("The flaky login test failed since the clock was mocked twice.", "why was the login test flaky?"),
    ("We dropped Redis in favour of an in-process LRU cache.", "why is there no Redis any more?"),
    ("Feature flags live in flags.toml and are reloaded on SIGHUP.", "where do feature flags live?"),
    ("The memory leak came from the websocket map that was never pruned.", "what caused the memory leak?"),
    ("Release branches are cut on Tuesdays, after the smoke test.", "when are release branches cut?"),
    ("CSV export must quote every field, since Excel guesses otherwise.", "how are fields quoted in the CSV export?"),
    ("The image resizer uses Lanczos, bicubic left halos on logos.", "which filter does the image resizer use?"),
    ("Invoices are numbered per tenant and year, starting at 1000.", "how are invoices numbered?"),
    ("The nightly job moved to 02:40 so that it does not meet the backup.", "when does the nightly job run?"),
    ("Search results are capped at 500 because the ranking was quadratic.", "why are search results capped?"),
    ("The iOS build needs Xcode 26.1, older ones crash in the linker.", "which Xcode does the iOS build need?"),
    ("Session cookies are SameSite=Lax, Strict broke the login from mail.", "why are session cookies not Strict?"),
    ("The staging secrets are in the vault under kv/staging/kites.", "where are the staging credentials kept?"),
    ("We pin tokio to 1.54 until the timer regression is fixed.", "why is tokio pinned?"),
    ("The GraphQL gateway limits query depth to eight.", "how deep may a GraphQL query be?"),
    ("Audit rows are kept for seven years, by law.", "how long do we keep audit rows?"),
    ("The Windows installer is signed in the release job only.", "where is the Windows installer signed?"),
]
