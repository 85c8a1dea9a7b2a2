extension Arguments {
  /// The output of `--help`.
  package static let help = """
    benchmarks                 the table of targets, with the figures of this machine
    benchmarks guide           the ImmutableData guide's tables: CPU time and memory of 13 operations
    benchmarks growth          replay, seek, snapshot and append as the log grows
    benchmarks instructions    machine instructions per unit of work, counted by callgrind
    benchmarks report          writes committed results into the pages that show them

    --smoke            small sizes, to check that everything runs
    --rounds N         counted rounds, or samples of the guide's operations
    --filter TEXT      only names that contain TEXT: families, contenders and numbers of targets; operations of
                       'guide'; rows of 'growth'; pieces of work of 'instructions'
    --skip TEXT        leaves out families, contenders and targets that --filter TEXT would find (repeatable); their
                       rows show as left out
    --json             the results as JSON
    --markdown         the tables as Markdown
    --list             the measurements for the table of targets, without running them
    --data DIR         keeps the data sets there for the next run
    --peers DIR        where the scripts of the peers are (default: Benchmarks/peers), or 'none'
    --peer-results F   takes measurements from a file, one JSON object on each line
    --results FILE     adds the results to a file; 'report' reads it
    --svg DIR          'growth', 'report': writes the plots there
    --large            'growth': up to 10 000 000 actions: 10 GB of disk, a quarter of an hour more
    --check, --update  'instructions': compares with the reference file, or replaces it
    --tolerance N      the growth that --check accepts, in percent (default: 3)

    """
}
