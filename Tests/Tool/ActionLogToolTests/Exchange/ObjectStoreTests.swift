import TestSupport
import Testing

/// The recipes of the page *Beyond one machine*, with a server of S3 on this machine.
@Suite(
  "Object stores",
  .enabled(
    if: Executable.find("rclone") != nil && ReadersTests.python(has: "moto.server"),
    "needs rclone, and moto with its server for Python"))
struct ObjectStoreTests {
  /// Starts the server, which ends with the shell, and makes a bucket.
  ///
  /// A file `cut` has the end of a request to interrupt once: in the middle of its body, the process is killed whose number is in the
  /// file `uploader`.
  private static let beginning = """
    set -e
    unset AWS_CA_BUNDLE HTTP_PROXY HTTPS_PROXY http_proxy https_proxy
    mkfifo input port
    python3 -c 'import os, sys
    from moto.server import ThreadedMotoServer
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    answer = server._server.app
    def cutting(environ, start):
        request = environ["PATH_INFO"] + "?" + environ["QUERY_STRING"]
        if environ["REQUEST_METHOD"] != "PUT" or not os.path.exists("cut") or open("cut").read().strip() not in request:
            return answer(environ, start)
        os.remove("cut")
        environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]) // 2)
        os.kill(int(open("uploader").read()), 9)
        start("400 Incomplete", [])
        return []
    server._server.app = cutting
    print(server.get_host_and_port()[1], flush=True)
    sys.stdin.read()
    server.stop()' < input > port 2> server.log &
    exec 9> input
    read PORT < port
    export RCLONE_CONFIG=/dev/null RCLONE_CONFIG_REMOTE_TYPE=s3 RCLONE_CONFIG_REMOTE_PROVIDER=Other
    export RCLONE_CONFIG_REMOTE_ACCESS_KEY_ID=a RCLONE_CONFIG_REMOTE_SECRET_ACCESS_KEY=b
    export RCLONE_CONFIG_REMOTE_ENDPOINT=http://127.0.0.1:$PORT
    rclone mkdir remote:lake
    action-log record counter my-log --workload 2000 --segment-size 50K -q > /dev/null

    """

  private func run(_ script: String) async throws -> CommandLineRun {
    try await ShellSession().run(Self.beginning + script)
  }

  @Test func aLakeIsCopiedAndFetched() async throws {
    let run = try await run(
      """
      copy() { rclone copy -q --immutable --checksum --include '0*.jsonl' lake remote:lake; }
      action-log ship my-log lake --seal -q > /dev/null
      copy && rclone copy -q lake/_logs remote:lake/_logs
      copy && rclone check -q --one-way --include '0*.jsonl' lake remote:lake && echo same
      log=$(cd lake && echo model=counter/log=*)
      rclone copy -q "remote:lake/$log" "fetched/$log"
      rclone copy -q "remote:lake/_logs/${log#*log=}" "fetched/_logs/${log#*log=}"
      action-log verify "fetched/$log" | head -1 | sed 's/.*: //'
      action-log restore "fetched/$log" restored -q | sed 's/.*: //'
      for segment in my-log/0*.jsonl; do [ $(grep -c '"seq"' $segment) -le 3 ] || cmp $segment restored/${segment##*/}; done
      # A segment that was changed is not copied, and 'check' reports it.
      segment=$(ls lake/$log/date=*/0*.jsonl | head -1)
      echo >> $segment
      copy 2> /dev/null || echo refused
      rclone check -q --one-way --include '0*.jsonl' lake remote:lake 2> /dev/null || echo different
      """)
    #expect(
      run.status == 0 && run.output == "same\nclean\ncounter restored up to revision 2000\nrefused\ndifferent\n",
      "\(run.output) \(run.messages)")
  }

  /// The command fails for one segment, as when an upload is interrupted, and the next run continues with it.
  @Test func segmentsAreUploadedByACommand() async throws {
    let run = try await run(
      """
      upload='rclone copyto -q --ignore-existing "$ACTIONLOG_FILE" "remote:lake/$ACTIONLOG_NAME"'
      echo 0 > count
      action-log ship my-log lake -q --with 'n=$(($(cat count) + 1)); echo $n > count; [ $n -lt 3 ] && '"$upload" 2> /dev/null \\
        > /dev/null || echo interrupted
      rclone lsf -R --files-only --include '0*.jsonl' remote:lake | wc -l | tr -d ' '
      action-log ship my-log lake -q --with "$upload" > /dev/null
      [ "$(rclone lsf -R --files-only --include '0*.jsonl' remote:lake | wc -l)" -eq "$(ls my-log/0*.jsonl | wc -l)" ] && echo all
      [ -z "$(find lake -name '0*.jsonl')" ] && echo none here
      action-log ship my-log lake --with false 2>&1 | sed 's/[0-9]* already/N already/'
      log=$(rclone lsf remote:lake/model=counter)
      rclone copy -q "remote:lake/model=counter/$log" "lake/model=counter/$log"
      action-log verify "lake/model=counter/${log%/}" | head -1 | sed 's/.*: //'
      """)
    #expect(
      run.status == 0
        && run.output == "interrupted\n2\nall\nnone here\n0 segments shipped, N already present\nclean\n",
      "\(run.output) \(run.messages)")
  }

  /// The uploader is killed in the middle of the second part of the second segment: the bucket has the first segment alone, and the
  /// next run completes it.
  @Test(arguments: [
    // The recipes of the page, with the least size of a part.
    #"action-log ship big lake -q --with 'echo $$ > uploader; exec rclone copyto --ignore-existing '"$parts"' "#
      + #""$ACTIONLOG_FILE" "remote:lake/$ACTIONLOG_NAME"' > /dev/null"#,
    "action-log ship big lake -q > /dev/null; sh -c 'echo $$ > uploader; exec rclone copy --immutable --checksum "
      + "--transfers 1 --order-by name --include \"0*.jsonl\" '\"$parts\"' lake remote:lake'",
  ])
  func aCutUploadIsNotVisible(upload: String) async throws {
    let run = try await run(
      """
      action-log record counter big --workload 90000 --segment-size 6M --durability written -q > /dev/null
      parts='-q --s3-chunk-size 5M --s3-upload-cutoff 5M --s3-upload-concurrency 1'
      upload() { \(upload); }
      in_bucket() { rclone lsf -R --files-only remote:lake | sed 's,.*/,,'; }
      echo "$(ls big/0*.jsonl | sed -n '2s,.*/,,p')?partNumber=2" > cut
      upload 2> /dev/null || echo "interrupted, $(ls cut 2> /dev/null | wc -l | tr -d ' ') left to cut"
      [ "$(in_bucket)" = 0000000000000001.jsonl ] && echo the first one
      rclone backend list-multipart-uploads remote:lake | grep -c '"UploadId"'
      upload
      [ "$(in_bucket)" = "$(ls big | grep '^0')" ] && echo all
      log=$(rclone lsf remote:lake/model=counter)
      rclone copy -q "remote:lake/model=counter/$log" "fetched/model=counter/$log"
      cp -r lake/_logs fetched
      action-log verify "fetched/model=counter/${log%/}" | head -1 | sed 's/.*: //'
      """)
    #expect(
      run.status == 0 && run.output == "interrupted, 0 left to cut\nthe first one\n1\nall\nclean\n",
      "\(run.output) \(run.messages)")
  }

  /// What is in the bucket is removed from the log; what is not, or is changed there, stays.
  @Test func aBucketIsAnArchive() async throws {
    let run = try await run(
      """
      action-log ship my-log lake -q --with 'rclone copyto -q "$ACTIONLOG_FILE" "remote:lake/$ACTIONLOG_NAME"' > /dev/null
      prune() {
        action-log prune my-log --before 1500 --reason test --archive lake --yes "$@" 2> message | sed 's/.* segment/segment/'
      }
      prune; grep -o 'which is missing' message
      fetch() { rclone copy -q --include '0*.jsonl' remote:lake lake; }
      segment=$(rclone lsf -R --files-only --include '0*.jsonl' remote:lake | sort | head -1)
      rclone copyto -q "remote:lake/$segment" kept
      echo | rclone rcat -q "remote:lake/$segment"
      fetch; prune; grep -o 'the copy is not the segment' message
      rclone copyto -q kept "remote:lake/$segment"
      fetch; prune | head -1 | sed 's/ (.*)//'
      rm -r lake/model=counter
      action-log prune my-log --restore lake --yes -q 2>&1 | grep -o 'fetch them'
      fetch
      action-log prune my-log --restore lake --yes -q > /dev/null
      action-log verify my-log | head -1
      """)
    #expect(
      run.status == 0
        && run.output == """
          which is missing
          the copy is not the segment
          segments were archived to lake and removed
          fetch them
          my-log: clean

          """,
      "\(run.output) \(run.messages)")
  }
}
