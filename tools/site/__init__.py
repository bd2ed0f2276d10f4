"""The documentation site: pages made from the code, and the prose in ``docs/`` beside them.

    python -m tools.site write FOLDER      the pages as Markdown; mkdocs makes the site of them
    python -m tools.site check FOLDER      the built site: each link leads somewhere
    python -m tools.site transcripts       what the documents show of jaxlint, written again
    python -m tools.site pictures          the pictures of a terminal and of a report, taken again

Everything flows one way: ``rule_pages``, ``reference`` and ``prose`` make pages, ``pages`` gathers
them, ``navigation`` orders them, ``links`` and ``built`` check them.
"""
