"""Locale catalogues are a kind of their own: until now they counted as agents."""

from django.db import migrations, models

ENDINGS = (".locale.yaml", ".locale.yml", ".locale.json")


def told_by_ending(apps, schema_editor):
    documents = apps.get_model("editor", "Document").objects.filter(kind="agent")
    for ending in ENDINGS:
        documents.filter(path__endswith=ending).update(kind="locale")


class Migration(migrations.Migration):
    dependencies = [("editor", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="document",
            name="kind",
            field=models.CharField(
                choices=[
                    ("agent", "agent"), ("tools", "tool library"), ("profile", "behaviour profile"),
                    ("scenario", "scenario"), ("locale", "locale catalogue"),
                ],
                default="agent",
                max_length=10,
            ),
        ),
        migrations.RunPython(told_by_ending, migrations.RunPython.noop),
    ]
