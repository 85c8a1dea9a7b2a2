extension Arguments {
  /// The output of `--help`.
  package static let help = """
    benchmarks                 the table of targets, with what this machine makes of each
    benchmarks guide           the ImmutableData guide's tables: CPU time and memory of 13 operations
    benchmarks growth          replay, seek, snapshot and append as the log grows
    benchmarks instructions    machine instructions for a unit of work, by callgrind
    benchmarks report          writes committed results into the pages that show them

    --smoke            small sizes: does everything still run?
    --rounds N         counted rounds, or samples of the guide's operations
    --filter TEXT      only what TEXT is part of the name of: families, contenders and numbers of targets; operations of
                       'guide'; rows of 'growth'; pieces of work of 'instructions'
    --json             the results as JSON
    --markdown         the tables as Markdown
    --list             what would be measured for the table of targets
    --data DIR         keeps the data sets there for the next run
    --peers DIR        where the scripts of the peers are (default: Benchmarks/peers), or 'none'
    --peer-results F   takes measurements from a file, one JSON object on each line
    --results FILE     adds the results to a file; 'report' reads it
    --svg DIR          'growth', 'report': writes the plots there
    --large            'growth': up to 10 000 000 actions: 10 GB of disk, five minutes more
    --check, --update  'instructions': compares with the reference file, or replaces it
    --tolerance N      the growth that --check lets pass, in percent (default: 3)

    """
}
