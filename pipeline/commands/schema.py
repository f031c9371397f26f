"""`pipeline schema`: print the job file's JSON Schema."""

from pipeline.job.schema import schema_text
from pipeline.showing import console


def schema() -> None:
    """Print the JSON Schema of the job file, for editors and other tools.

    A job that begins with `# yaml-language-server: $schema=job.schema.json` is completed and
    checked by editors once this command's output is kept beside it in that file.
    """
    console.say(schema_text().rstrip())
