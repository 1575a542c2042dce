"""Writes the Parquet files of this folder from people.csv: pip install pandas pyarrow polars, then python make.py."""

from pathlib import Path

import pandas
import polars

HERE = Path(__file__).parent

table = pandas.read_csv(HERE / "people.csv", parse_dates=["since"]).astype({"town": "category"})
table["since"] = table["since"].dt.date
for codec in ["none", "snappy", "gzip", "zstd"]:
    table.to_parquet(HERE / f"people-{codec}.parquet", engine="pyarrow", compression=codec if codec != "none" else None)
table.to_parquet(HERE / "people-snappy-v2.parquet", engine="pyarrow", data_page_version="2.0", version="2.6", row_group_size=4)
polars.read_csv(HERE / "people.csv", try_parse_dates=True).write_parquet(HERE / "people-polars.parquet")
pandas.DataFrame({"x": [1.0], "y": [2.0]}).to_parquet(HERE / "brotli.parquet", engine="pyarrow", compression="brotli")
