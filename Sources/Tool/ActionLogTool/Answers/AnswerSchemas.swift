import JSONCoding

/// The JSON Schemas of the answers with `--json`, in one document of the draft 2020-12.
///
/// `$defs` has a schema for each verb, under its name. A change of the text is a change of `logs/readers/answers.schema.json`, which
/// a test compares and `UPDATE_GOLDEN=1` rewrites; a member that changes its meaning raises the version in `$id`.
package enum AnswerSchemas {
  /// The text of the document.
  package static let text = #"""
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "$id": "urn:actionlog:answers:1",
      "title": "The answers of action-log --json, version 1",
      "description": "$defs has a schema for each verb, under its name: for the object that the verb prints, or for each of its lines. 'message' is a line on standard error. A later version of the tool may add members; the version in $id changes if a member changes its meaning or goes away.",
      "$defs": {
        "revision": {
          "description": "A revision: the number of actions up to a state. The member is called seq where it names an action or a record, and revision where it names a state.",
          "type": "integer", "minimum": 0
        },
        "count": {"description": "A number of things, or of bytes.", "type": "integer", "minimum": 0},
        "time": {
          "description": "A time in UTC, to the microsecond.", "type": "string",
          "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$"
        },
        "pointer": {
          "description": "A JSON Pointer (RFC 6901): empty, or it begins with /.", "type": "string", "pattern": "^(/|$)"
        },
        "file": {
          "description": "The path of a log or of a file, as it was given. In a patch, and only there, path is a JSON Pointer, as RFC 6902 has it.",
          "type": "string", "minLength": 1
        },
        "sha256": {"description": "A SHA-256 in hexadecimal.", "type": "string", "pattern": "^[0-9a-f]{64}$"},
        "root": {
          "description": "The root of a Merkle tree in base64.", "type": "string", "pattern": "^[A-Za-z0-9+/]{43}=$"
        },
        "meta": {
          "description": "The metadata of an action: actor, cause, correlation, session, app and any other member.",
          "type": "object"
        },
        "truncated": {
          "description": "The answer met --limit or --max-bytes. The member is absent from a complete answer.",
          "const": true
        },
        "next": {
          "description": "The value of --cursor with which the same command line continues.", "type": "string",
          "minLength": 1
        },
        "omitted": {
          "description": "Values that alone exceed --max-bytes, with their locations in this answer.", "type": "array",
          "items": {
            "type": "object", "required": ["pointer", "bytes"],
            "properties": {"pointer": {"$ref": "#/$defs/pointer"}, "bytes": {"$ref": "#/$defs/count"}}
          }
        },
        "cursor": {
          "description": "The value of --cursor: the answer lacks what is before it.", "type": "string", "minLength": 1
        },
        "end": {
          "description": "The last line of a truncated answer.", "type": "object", "required": ["truncated", "next"],
          "properties": {"truncated": {"$ref": "#/$defs/truncated"}, "next": {"$ref": "#/$defs/next"}}
        },
        "operation": {
          "type": "object", "required": ["op", "path"],
          "properties": {
            "op": {"enum": ["add", "remove", "replace", "move", "copy", "test"]}, "path": {"$ref": "#/$defs/pointer"},
            "from": {"$ref": "#/$defs/pointer"}, "value": {}
          }
        },
        "patch": {
          "description": "A JSON Patch (RFC 6902). Its path is a JSON Pointer into the state.", "type": "array",
          "items": {"$ref": "#/$defs/operation"}
        },
        "action": {
          "description": "An action, or with --all a control record, whose type begins with @.", "type": "object",
          "required": ["seq", "time", "type"],
          "properties": {
            "seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"}, "type": {"type": "string"},
            "data": {"type": "object"}, "meta": {"$ref": "#/$defs/meta"}, "truncated": {"$ref": "#/$defs/truncated"},
            "next": {"$ref": "#/$defs/next"}, "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          },
          "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]}, "else": {"required": ["data"]}
        },
        "work": {
          "description": "The work of a query.", "type": "object",
          "required": ["actionsFolded", "statesVisited", "snapshotsLoaded", "bytesRead", "bytesEncoded"],
          "properties": {
            "actionsFolded": {"$ref": "#/$defs/count"}, "statesVisited": {"$ref": "#/$defs/count"},
            "snapshotsLoaded": {"$ref": "#/$defs/count"}, "bytesRead": {"$ref": "#/$defs/count"},
            "bytesEncoded": {"$ref": "#/$defs/count"}
          }
        },
        "change": {
          "description": "An action that changed a value. Without old the value was added, without new it was removed; changes replaces both for a large dictionary.",
          "type": "object", "required": ["seq", "time", "type", "pointer", "change"],
          "properties": {
            "seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"}, "type": {"type": "string"},
            "pointer": {"$ref": "#/$defs/pointer"}, "change": {"enum": ["added", "removed", "changed"]},
            "data": {"type": "object"}, "meta": {"$ref": "#/$defs/meta"}, "old": {}, "new": {},
            "changes": {"$ref": "#/$defs/patch"}, "truncated": {"$ref": "#/$defs/truncated"},
            "next": {"$ref": "#/$defs/next"}, "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          },
          "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]}, "else": {"required": ["data"]}
        },
        "error": {
          "description": "An error: its stable code, its message, its location, and advice.", "type": "object",
          "required": ["code", "message"],
          "properties": {
            "code": {"type": "string"}, "message": {"type": "string"}, "path": {"$ref": "#/$defs/file"},
            "line": {"$ref": "#/$defs/count"}, "byteOffset": {"$ref": "#/$defs/count"},
            "seq": {"$ref": "#/$defs/revision"}, "advice": {"type": "string"}
          }
        },
        "failure": {
          "description": "A line of a verb of many logs: the error of one.", "type": "object",
          "required": ["path", "error"],
          "properties": {"path": {"$ref": "#/$defs/file"}, "error": {"$ref": "#/$defs/error"}}
        },
        "message": {
          "description": "A line on standard error: an error, a warning or hint, or progress.",
          "anyOf": [
            {
              "description": "The error that ended the command.", "type": "object", "required": ["error", "status"],
              "properties": {"error": {"$ref": "#/$defs/error"}, "status": {"enum": [1, 2, 3, 4, 5]}}
            },
            {
              "description": "A warning or a hint, with the condition and the offset of the character in question.",
              "type": "object", "required": ["warning"],
              "properties": {
                "warning": {"type": "string"}, "condition": {"type": "string"}, "offset": {"$ref": "#/$defs/count"}
              }
            },
            {"$ref": "#/$defs/failure"},
            {
              "description": "Progress of a long command, every five seconds.", "type": "object",
              "required": ["progress"],
              "properties": {
                "progress": {
                  "type": "object", "required": ["job", "unit", "done"],
                  "properties": {
                    "job": {"type": "string"}, "unit": {"enum": ["bytes", "actions", "logs"]},
                    "done": {"$ref": "#/$defs/count"}, "total": {"$ref": "#/$defs/count"}
                  }
                }
              }
            }
          ]
        },
        "mark-of-log": {
          "description": "A mark.", "type": "object", "required": ["name", "seq", "time"],
          "properties": {
            "name": {"type": "string"}, "seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"},
            "remark": {"type": "string"}
          }
        },
        "verification": {
          "description": "The report on one log.", "type": "object",
          "required": [
            "path", "verdict", "log", "model", "lastSeq", "actions", "records", "bytes", "isClosed", "tornBytes",
            "schemas", "segments", "problems", "warnings"
          ],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "verdict": {"enum": ["clean", "torn", "damaged"]},
            "log": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "model": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "lastSeq": {"$ref": "#/$defs/revision"},
            "actions": {"$ref": "#/$defs/count"}, "records": {"$ref": "#/$defs/count"},
            "bytes": {"$ref": "#/$defs/count"}, "isClosed": {"type": "boolean"}, "tornBytes": {"$ref": "#/$defs/count"},
            "schemas": {
              "type": "array",
              "items": {
                "type": "object", "required": ["schema", "first", "last"],
                "properties": {
                  "schema": {"type": "integer"}, "first": {"$ref": "#/$defs/revision"},
                  "last": {"$ref": "#/$defs/revision"}
                }
              }
            },
            "segments": {
              "type": "array",
              "items": {
                "type": "object", "required": ["path", "first", "bytes", "records", "actions"],
                "properties": {
                  "path": {"$ref": "#/$defs/file"}, "first": {"$ref": "#/$defs/revision"},
                  "bytes": {"$ref": "#/$defs/count"}, "records": {"$ref": "#/$defs/count"},
                  "actions": {"$ref": "#/$defs/count"}
                }
              }
            },
            "problems": {
              "type": "array",
              "items": {
                "type": "object", "required": ["kind", "message", "path"],
                "properties": {
                  "kind": {"type": "string"}, "message": {"type": "string"}, "path": {"$ref": "#/$defs/file"},
                  "line": {"$ref": "#/$defs/count"}, "byteOffset": {"$ref": "#/$defs/count"},
                  "seq": {"$ref": "#/$defs/revision"}
                }
              }
            },
            "warnings": {
              "type": "array",
              "items": {
                "type": "object", "required": ["kind", "message", "path"],
                "properties": {
                  "kind": {"type": "string"}, "message": {"type": "string"}, "path": {"$ref": "#/$defs/file"},
                  "line": {"$ref": "#/$defs/count"}, "byteOffset": {"$ref": "#/$defs/count"},
                  "seq": {"$ref": "#/$defs/revision"}
                }
              }
            },
            "firstSeq": {"$ref": "#/$defs/revision"}, "checkpoints": {"$ref": "#/$defs/count"},
            "unlistedProblems": {"$ref": "#/$defs/count"},
            "snapshots": {
              "type": "object", "required": ["count", "sound", "problems"],
              "properties": {
                "count": {"$ref": "#/$defs/count"}, "sound": {"$ref": "#/$defs/count"},
                "problems": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["seq", "path", "reason", "message"],
                    "properties": {
                      "seq": {"$ref": "#/$defs/revision"}, "path": {"$ref": "#/$defs/file"}, "reason": {"type": "string"},
                      "message": {"type": "string"}
                    }
                  }
                },
                "outdated": {
                  "description": "Those that the next writer removes, after an interrupted pruning or redaction.",
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["seq", "path", "reason", "message"],
                    "properties": {
                      "seq": {"$ref": "#/$defs/revision"}, "path": {"$ref": "#/$defs/file"}, "reason": {"type": "string"},
                      "message": {"type": "string"}
                    }
                  }
                }
              }
            },
            "marks": {
              "type": "object", "required": ["count", "problems"],
              "properties": {
                "count": {"$ref": "#/$defs/count"},
                "problems": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["message"],
                    "properties": {
                      "message": {"type": "string"}, "path": {"$ref": "#/$defs/file"}, "line": {"$ref": "#/$defs/count"},
                      "name": {"type": "string"}, "seq": {"$ref": "#/$defs/revision"}
                    }
                  }
                }
              }
            },
            "unread": {"type": "array", "items": {"type": "string"}},
            "projections": {
              "type": "object",
              "additionalProperties": {
                "type": "object", "required": ["count", "sound", "problems"],
                "properties": {
                  "count": {"$ref": "#/$defs/count"}, "sound": {"$ref": "#/$defs/count"},
                  "problems": {
                    "type": "array",
                    "items": {
                      "type": "object", "required": ["seq", "path", "reason", "message"],
                      "properties": {
                        "seq": {"$ref": "#/$defs/revision"}, "path": {"$ref": "#/$defs/file"},
                        "reason": {"type": "string"}, "message": {"type": "string"}
                      }
                    }
                  },
                  "outdated": {
                    "description": "Those that the next writer removes, after an interrupted pruning or redaction.",
                    "type": "array",
                    "items": {
                      "type": "object", "required": ["seq", "path", "reason", "message"],
                      "properties": {
                        "seq": {"$ref": "#/$defs/revision"}, "path": {"$ref": "#/$defs/file"},
                        "reason": {"type": "string"}, "message": {"type": "string"}
                      }
                    }
                  }
                }
              }
            }
          }
        },
        "demo": {
          "description": "One object: the story that was recorded and replayed, or the log of --with-bug.",
          "anyOf": [
            {
              "type": "object",
              "required": ["model", "actions", "sha256", "fromRevision", "actionsFolded", "verdict", "path"],
              "properties": {
                "model": {"type": "string"}, "actions": {"$ref": "#/$defs/count"}, "sha256": {"$ref": "#/$defs/sha256"},
                "fromRevision": {"$ref": "#/$defs/revision"}, "actionsFolded": {"$ref": "#/$defs/count"},
                "verdict": {"type": "string"}, "path": {"anyOf": [{"$ref": "#/$defs/file"}, {"type": "null"}]}
              }
            },
            {
              "type": "object",
              "required": ["path", "model", "mended", "actions", "snapshots", "pointer", "wrong", "right", "commands"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "model": {"type": "string"}, "mended": {"type": "string"},
                "actions": {"$ref": "#/$defs/count"},
                "snapshots": {"type": "array", "items": {"$ref": "#/$defs/revision"}},
                "pointer": {"$ref": "#/$defs/pointer"}, "wrong": {"type": "string"}, "right": {"type": "string"},
                "commands": {"type": "array", "items": {"type": "string"}}
              }
            }
          ]
        },
        "record": {
          "description": "A line for each line of input: recorded, refused, failed, or unknown; with --workload one object.",
          "anyOf": [
            {
              "type": "object", "required": ["line", "seq", "durability"],
              "properties": {
                "line": {"$ref": "#/$defs/count"}, "seq": {"$ref": "#/$defs/revision"},
                "durability": {"enum": ["queued", "written", "interval", "synced", "full"]}
              }
            },
            {
              "type": "object", "required": ["line", "refused"],
              "properties": {
                "line": {"$ref": "#/$defs/count"},
                "refused": {
                  "type": "object", "required": ["code", "message"],
                  "properties": {
                    "code": {"type": "string"}, "message": {"type": "string"}, "byteOffset": {"$ref": "#/$defs/count"}
                  }
                }
              }
            },
            {
              "type": "object", "required": ["line", "failed"],
              "properties": {
                "line": {"$ref": "#/$defs/count"},
                "failed": {
                  "type": "object", "required": ["code", "message"],
                  "properties": {
                    "code": {"type": "string"}, "message": {"type": "string"}, "byteOffset": {"$ref": "#/$defs/count"}
                  }
                }
              }
            },
            {
              "type": "object", "required": ["line", "unknown"],
              "properties": {
                "line": {"$ref": "#/$defs/count"},
                "unknown": {
                  "type": "object", "required": ["code", "message"],
                  "properties": {
                    "code": {"type": "string"}, "message": {"type": "string"}, "byteOffset": {"$ref": "#/$defs/count"}
                  }
                }
              }
            },
            {
              "type": "object", "required": ["accepted", "refused", "seq", "seed"],
              "properties": {
                "accepted": {"$ref": "#/$defs/count"}, "refused": {"$ref": "#/$defs/count"},
                "seq": {"$ref": "#/$defs/revision"}, "seed": {"type": "string"}
              }
            }
          ]
        },
        "list": {
          "description": "A line for each action. Of several logs, each line names its log.",
          "anyOf": [
            {
              "type": "object", "required": ["seq", "time", "type"],
              "properties": {
                "seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"}, "type": {"type": "string"},
                "data": {"type": "object"}, "meta": {"$ref": "#/$defs/meta"},
                "path": {"description": "The log, if there are several.", "$ref": "#/$defs/file"},
                "key": {"description": "The key of a log of a set.", "type": "string"},
                "truncated": {"$ref": "#/$defs/truncated"}, "next": {"$ref": "#/$defs/next"},
                "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
              },
              "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]}, "else": {"required": ["data"]}
            },
            {"$ref": "#/$defs/failure"}, {"$ref": "#/$defs/end"}
          ]
        },
        "show": {
          "description": "One object: the record, its place, and what it changed.", "type": "object",
          "required": ["seq", "time", "type", "synced", "path", "line", "byteOffset"],
          "properties": {
            "seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"}, "type": {"type": "string"},
            "synced": {"$ref": "#/$defs/revision"}, "path": {"$ref": "#/$defs/file"}, "line": {"$ref": "#/$defs/count"},
            "byteOffset": {"$ref": "#/$defs/count"}, "data": {"type": "object"}, "meta": {"$ref": "#/$defs/meta"},
            "readAs": {
              "description": "The actions that the model reads the record as, if they differ from it.", "type": "array",
              "items": {
                "type": "object", "required": ["type", "data"],
                "properties": {"type": {"type": "string"}, "data": {"type": "object"}}
              }
            },
            "changes": {"$ref": "#/$defs/patch"}, "truncated": {"$ref": "#/$defs/truncated"},
            "next": {"$ref": "#/$defs/next"}, "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          },
          "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]}, "else": {"required": ["data"]}
        },
        "tail": {
          "description": "A line for each action; with -f, durable reports whether the action survives a crash.",
          "anyOf": [
            {
              "type": "object", "required": ["seq", "time", "type"],
              "properties": {
                "seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"}, "type": {"type": "string"},
                "data": {"type": "object"}, "meta": {"$ref": "#/$defs/meta"},
                "path": {"description": "The log, if there are several.", "$ref": "#/$defs/file"},
                "key": {"description": "The key of a log of a set.", "type": "string"}, "durable": {"type": "boolean"},
                "truncated": {"$ref": "#/$defs/truncated"}, "next": {"$ref": "#/$defs/next"},
                "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
              },
              "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]}, "else": {"required": ["data"]}
            },
            {"$ref": "#/$defs/failure"}
          ]
        },
        "cat": {"description": "The lines of the log: see record.schema.json.", "type": "object"},
        "stats": {
          "description": "One object for each log, and of several logs one for all of them.",
          "anyOf": [
            {
              "description": "Of one log.", "type": "object",
              "required": ["path", "log", "model", "schema", "segments", "actions", "controlRecords", "bytes"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "log": {"type": "string"}, "model": {"type": "string"},
                "schema": {"type": "integer"}, "segments": {"$ref": "#/$defs/count"},
                "actions": {"$ref": "#/$defs/count"}, "controlRecords": {"$ref": "#/$defs/count"},
                "bytes": {"$ref": "#/$defs/count"},
                "histogram": {
                  "type": "object", "required": ["secondsPerBucket", "buckets"],
                  "properties": {
                    "secondsPerBucket": {"$ref": "#/$defs/count"},
                    "buckets": {
                      "type": "array",
                      "items": {
                        "type": "object", "required": ["time", "actions"],
                        "properties": {"time": {"$ref": "#/$defs/time"}, "actions": {"$ref": "#/$defs/count"}}
                      }
                    }
                  }
                },
                "types": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["type", "actions", "bytes"],
                    "properties": {
                      "type": {"type": "string"}, "actions": {"$ref": "#/$defs/count"}, "bytes": {"$ref": "#/$defs/count"}
                    }
                  }
                },
                "actors": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["actor", "actions", "bytes"],
                    "properties": {"actor": {}, "actions": {"$ref": "#/$defs/count"}, "bytes": {"$ref": "#/$defs/count"}}
                  }
                },
                "first": {
                  "type": "object", "required": ["seq", "time"],
                  "properties": {"seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"}}
                },
                "last": {
                  "type": "object", "required": ["seq", "time"],
                  "properties": {"seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"}}
                },
                "spanSeconds": {"type": "number"}, "actionsPerSecond": {"type": "number"},
                "longestGap": {
                  "type": "object", "required": ["seconds", "seq"],
                  "properties": {"seconds": {"type": "number"}, "seq": {"$ref": "#/$defs/revision"}}
                },
                "truncated": {"$ref": "#/$defs/truncated"}, "next": {"$ref": "#/$defs/next"},
                "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
              },
              "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]},
              "else": {"required": ["histogram", "types", "actors"]}
            },
            {
              "description": "Of several logs.", "type": "object",
              "required": ["logs", "models", "actions", "controlRecords", "bytes", "histogram", "types", "actors"],
              "properties": {
                "logs": {"$ref": "#/$defs/count"},
                "models": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["model", "logs"],
                    "properties": {"model": {"type": "string"}, "logs": {"$ref": "#/$defs/count"}}
                  }
                },
                "actions": {"$ref": "#/$defs/count"}, "controlRecords": {"$ref": "#/$defs/count"},
                "bytes": {"$ref": "#/$defs/count"},
                "histogram": {
                  "type": "object", "required": ["secondsPerBucket", "buckets"],
                  "properties": {
                    "secondsPerBucket": {"$ref": "#/$defs/count"},
                    "buckets": {
                      "type": "array",
                      "items": {
                        "type": "object", "required": ["time", "actions"],
                        "properties": {"time": {"$ref": "#/$defs/time"}, "actions": {"$ref": "#/$defs/count"}}
                      }
                    }
                  }
                },
                "types": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["type", "actions", "bytes"],
                    "properties": {
                      "type": {"type": "string"}, "actions": {"$ref": "#/$defs/count"}, "bytes": {"$ref": "#/$defs/count"}
                    }
                  }
                },
                "actors": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["actor", "actions", "bytes"],
                    "properties": {"actor": {}, "actions": {"$ref": "#/$defs/count"}, "bytes": {"$ref": "#/$defs/count"}}
                  }
                },
                "first": {"type": "object", "required": ["time"], "properties": {"time": {"$ref": "#/$defs/time"}}},
                "last": {"type": "object", "required": ["time"], "properties": {"time": {"$ref": "#/$defs/time"}}},
                "spanSeconds": {"type": "number"}, "actionsPerSecond": {"type": "number"}
              }
            },
            {"$ref": "#/$defs/failure"}
          ]
        },
        "mark": {
          "description": "One object: the mark that was made or removed, or the lines that were removed.",
          "anyOf": [
            {
              "type": "object", "required": ["name", "seq", "time"],
              "properties": {
                "name": {"type": "string"}, "seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"},
                "remark": {"type": "string"}, "removed": {"const": true}
              }
            },
            {
              "type": "object", "required": ["path", "removed", "quarantineFile"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "removed": {"$ref": "#/$defs/count"},
                "quarantineFile": {"anyOf": [{"$ref": "#/$defs/file"}, {"type": "null"}]}
              }
            }
          ]
        },
        "marks": {
          "description": "A line for each mark.", "anyOf": [{"$ref": "#/$defs/mark-of-log"}, {"$ref": "#/$defs/end"}]
        },
        "state": {
          "description": "One object: the state, or with --path the value at pointer. fromSnapshot is the revision of the snapshot that the replay began with.",
          "type": "object", "required": ["revision", "sha256", "actionsFolded", "fromSnapshot"],
          "properties": {
            "revision": {"$ref": "#/$defs/revision"}, "sha256": {"$ref": "#/$defs/sha256"},
            "actionsFolded": {"$ref": "#/$defs/count"},
            "fromSnapshot": {"anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]},
            "pointer": {"$ref": "#/$defs/pointer"}, "state": {}, "value": {}, "projection": {"type": "string"},
            "truncated": {"$ref": "#/$defs/truncated"}, "next": {"$ref": "#/$defs/next"},
            "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          }
        },
        "diff": {
          "description": "One object: the changes from one revision to another, as a JSON Patch or with --format merge-patch as a JSON Merge Patch (RFC 7396).",
          "type": "object", "required": ["from", "to"],
          "properties": {
            "from": {"$ref": "#/$defs/revision"}, "to": {"$ref": "#/$defs/revision"},
            "changes": {"$ref": "#/$defs/patch"}, "mergePatch": {}, "truncated": {"$ref": "#/$defs/truncated"},
            "next": {"$ref": "#/$defs/next"}, "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          }
        },
        "step": {
          "description": "A line for each revision, with what its action changed. The first revision may be a state without an action.",
          "anyOf": [
            {
              "type": "object", "required": ["seq", "changes"],
              "properties": {
                "seq": {"$ref": "#/$defs/revision"}, "changes": {"$ref": "#/$defs/patch"},
                "time": {"$ref": "#/$defs/time"}, "type": {"type": "string"}, "data": {"type": "object"},
                "meta": {"$ref": "#/$defs/meta"}
              }
            }
          ]
        },
        "inspect": {
          "description": "One object: the address of the page, which contains the secret of the run.", "type": "object",
          "required": ["url", "port"],
          "properties": {"url": {"type": "string"}, "port": {"type": "integer", "minimum": 1, "maximum": 65535}}
        },
        "replay": {
          "description": "One object: the state that the replay reached; with --verify the comparison with a second fold; with --digest-at and --state-at a line for each revision.",
          "anyOf": [
            {
              "description": "A replay.", "type": "object",
              "required": [
                "path", "model", "revision", "sha256", "fromRevision", "actionsFolded", "bytesRead", "microseconds",
                "digestsChecked", "digestsOfOtherSchemas", "divergences", "frozenRevision", "opaqueRecords"
              ],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "model": {"type": "string"}, "revision": {"$ref": "#/$defs/revision"},
                "sha256": {"$ref": "#/$defs/sha256"}, "fromRevision": {"$ref": "#/$defs/revision"},
                "actionsFolded": {"$ref": "#/$defs/count"}, "bytesRead": {"$ref": "#/$defs/count"},
                "microseconds": {"$ref": "#/$defs/count"}, "digestsChecked": {"$ref": "#/$defs/count"},
                "digestsOfOtherSchemas": {"$ref": "#/$defs/count"},
                "divergences": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["revision", "recorded", "computed", "lastAgreement", "byOtherReducer"],
                    "properties": {
                      "revision": {"$ref": "#/$defs/revision"}, "recorded": {"type": "string"},
                      "computed": {"type": "string"}, "lastAgreement": {"$ref": "#/$defs/revision"},
                      "byOtherReducer": {"type": "boolean"}
                    }
                  }
                },
                "frozenRevision": {"anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]},
                "opaqueRecords": {"$ref": "#/$defs/count"}, "damage": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "skippedActions": {"$ref": "#/$defs/count"}, "projection": {"type": "string"}
              }
            },
            {
              "description": "With --verify.", "type": "object",
              "required": [
                "path", "model", "revision", "proven", "sha256", "digestsChecked", "digestsOfOtherSchemas",
                "snapshotsChecked", "secondFold", "statesCompared", "actionsFolded", "disagreements"
              ],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "model": {"type": "string"}, "revision": {"$ref": "#/$defs/revision"},
                "proven": {"type": "boolean"}, "sha256": {"$ref": "#/$defs/sha256"},
                "digestsChecked": {"$ref": "#/$defs/count"}, "digestsOfOtherSchemas": {"$ref": "#/$defs/count"},
                "snapshotsChecked": {"$ref": "#/$defs/count"}, "secondFold": {"type": "string"},
                "statesCompared": {"$ref": "#/$defs/count"}, "actionsFolded": {"$ref": "#/$defs/count"},
                "disagreements": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["kind", "revision", "lastAgreement", "byOtherCode", "message"],
                    "properties": {
                      "kind": {"type": "string"}, "revision": {"$ref": "#/$defs/revision"},
                      "lastAgreement": {"$ref": "#/$defs/revision"}, "byOtherCode": {"type": "boolean"},
                      "message": {"type": "string"}, "pointer": {"$ref": "#/$defs/pointer"}, "first": {}, "second": {}
                    }
                  }
                },
                "damage": {"anyOf": [{"type": "string"}, {"type": "null"}]}, "skippedActions": {"$ref": "#/$defs/count"},
                "projection": {"type": "string"}
              }
            },
            {
              "description": "A digest, or a state.", "type": "object", "required": ["revision", "sha256"],
              "properties": {"revision": {"$ref": "#/$defs/revision"}, "sha256": {"$ref": "#/$defs/sha256"}, "state": {}}
            },
            {"$ref": "#/$defs/failure"}
          ]
        },
        "report": {
          "description": "One object: the page that was written.", "type": "object",
          "required": ["path", "first", "last", "isCut", "valuesLeftOut", "bytes"],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "first": {"$ref": "#/$defs/revision"}, "last": {"$ref": "#/$defs/revision"},
            "isCut": {"type": "boolean"}, "valuesLeftOut": {"$ref": "#/$defs/count"}, "bytes": {"$ref": "#/$defs/count"}
          }
        },
        "blame": {
          "description": "One object: the value, and the action that last changed it; change is null if no action did. begins is the first revision of a pruned log, if the change may be before it.",
          "type": "object", "required": ["pointer", "revision"],
          "properties": {
            "pointer": {"$ref": "#/$defs/pointer"}, "revision": {"$ref": "#/$defs/revision"},
            "change": {"anyOf": [{"$ref": "#/$defs/change"}, {"type": "null"}]}, "work": {"$ref": "#/$defs/work"},
            "value": {}, "begins": {"$ref": "#/$defs/revision"}, "truncated": {"$ref": "#/$defs/truncated"},
            "next": {"$ref": "#/$defs/next"}, "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          },
          "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]},
          "else": {"required": ["change", "work"]}
        },
        "history": {
          "description": "A line for each action that changed the value.",
          "anyOf": [{"$ref": "#/$defs/change"}, {"$ref": "#/$defs/end"}]
        },
        "watch": {
          "description": "A line for each action that changed a value, with all values by pointer; the first line has the values before the range, and may have no action.",
          "anyOf": [
            {
              "type": "object", "required": ["seq"],
              "properties": {
                "seq": {"$ref": "#/$defs/revision"}, "values": {"type": "object"}, "time": {"$ref": "#/$defs/time"},
                "type": {"type": "string"}, "data": {"type": "object"}, "meta": {"$ref": "#/$defs/meta"},
                "truncated": {"$ref": "#/$defs/truncated"}, "next": {"$ref": "#/$defs/next"},
                "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
              },
              "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]}, "else": {"required": ["values"]}
            },
            {"$ref": "#/$defs/end"}
          ]
        },
        "until": {
          "description": "One object: the revision where the condition holds, and the action that led to it. begins replaces the answer if it may be before the base of a pruned log.",
          "type": "object", "required": ["condition", "revision"],
          "properties": {
            "condition": {"type": "string"},
            "revision": {
              "description": "The revision, or null if the condition holds nowhere.",
              "anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]
            },
            "work": {"$ref": "#/$defs/work"}, "action": {"$ref": "#/$defs/action"},
            "begins": {"$ref": "#/$defs/revision"}, "truncated": {"$ref": "#/$defs/truncated"},
            "next": {"$ref": "#/$defs/next"}, "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          },
          "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]}, "else": {"required": ["work"]}
        },
        "reverse-until": {
          "description": "One object: the revision where the condition holds, and the action that led to it. begins replaces the answer if it may be before the base of a pruned log.",
          "type": "object", "required": ["condition", "revision"],
          "properties": {
            "condition": {"type": "string"},
            "revision": {
              "description": "The revision, or null if the condition holds nowhere.",
              "anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]
            },
            "work": {"$ref": "#/$defs/work"}, "action": {"$ref": "#/$defs/action"},
            "begins": {"$ref": "#/$defs/revision"}, "truncated": {"$ref": "#/$defs/truncated"},
            "next": {"$ref": "#/$defs/next"}, "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          },
          "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]}, "else": {"required": ["work"]}
        },
        "bisect": {
          "description": "One object: as until, with the probed revisions. isMonotonic is false if the condition does not hold continuously, wasScanned is true if the range was read from its beginning.",
          "type": "object", "required": ["condition", "revision", "isMonotonic", "wasScanned"],
          "properties": {
            "condition": {"type": "string"},
            "revision": {
              "description": "The revision, or null if the condition holds nowhere.",
              "anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]
            },
            "isMonotonic": {"type": "boolean"}, "wasScanned": {"type": "boolean"},
            "probes": {
              "type": "array",
              "items": {
                "type": "object", "required": ["revision", "holds"],
                "properties": {"revision": {"$ref": "#/$defs/revision"}, "holds": {"type": "boolean"}}
              }
            },
            "work": {"$ref": "#/$defs/work"}, "action": {"$ref": "#/$defs/action"},
            "begins": {"$ref": "#/$defs/revision"}, "truncated": {"$ref": "#/$defs/truncated"},
            "next": {"$ref": "#/$defs/next"}, "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          },
          "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]},
          "else": {"required": ["probes", "work"]}
        },
        "minimise": {
          "description": "A line for each action that is needed.",
          "anyOf": [{"$ref": "#/$defs/action"}, {"$ref": "#/$defs/end"}]
        },
        "what-if": {
          "description": "One object: the difference between the recorded history and the changed one. stem is the last common revision, actions the length of the changed history.",
          "type": "object", "required": ["revision", "actions", "stem", "firstDivergence", "refused"],
          "properties": {
            "revision": {"$ref": "#/$defs/revision"}, "actions": {"$ref": "#/$defs/count"},
            "stem": {"$ref": "#/$defs/revision"},
            "firstDivergence": {"anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]},
            "refused": {"$ref": "#/$defs/count"}, "changes": {"$ref": "#/$defs/patch"},
            "refusals": {
              "type": "array",
              "items": {
                "type": "object", "required": ["revision", "type", "isEdited", "error"],
                "properties": {
                  "revision": {"$ref": "#/$defs/revision"}, "type": {"type": "string"}, "isEdited": {"type": "boolean"},
                  "error": {"type": "string"}
                }
              }
            },
            "work": {"$ref": "#/$defs/work"},
            "branch": {
              "type": "object", "required": ["path", "lastSeq", "parent"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "lastSeq": {"$ref": "#/$defs/revision"},
                "parent": {
                  "type": "object", "required": ["log", "seq"],
                  "properties": {"log": {"type": "string"}, "seq": {"$ref": "#/$defs/revision"}}
                }
              }
            },
            "truncated": {"$ref": "#/$defs/truncated"}, "next": {"$ref": "#/$defs/next"},
            "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          },
          "if": {"anyOf": [{"required": ["truncated"]}, {"required": ["cursor"]}]},
          "else": {"required": ["changes", "refusals", "work"]}
        },
        "test": {
          "description": "One object: the source of the test, or with --output the path of its file. holdsAlready is there with --expect, isMinimal with --minimise.",
          "type": "object", "required": ["actions", "of"],
          "properties": {
            "actions": {"$ref": "#/$defs/count"}, "of": {"$ref": "#/$defs/count"}, "isMinimal": {"type": "boolean"},
            "holdsAlready": {"type": "boolean"}, "path": {"$ref": "#/$defs/file"}, "source": {"type": "string"},
            "truncated": {"$ref": "#/$defs/truncated"}, "next": {"$ref": "#/$defs/next"},
            "omitted": {"$ref": "#/$defs/omitted"}, "cursor": {"$ref": "#/$defs/cursor"}
          }
        },
        "bug-report": {
          "description": "One object: the report that was written, or opened.", "type": "object",
          "required": ["path", "log", "from", "to", "marks", "verify", "replay"],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "log": {"type": "string"}, "from": {"$ref": "#/$defs/revision"},
            "to": {"$ref": "#/$defs/revision"}, "marks": {"type": "array", "items": {"$ref": "#/$defs/mark-of-log"}},
            "verify": {
              "type": "object", "required": ["sound", "verdict", "remarks"],
              "properties": {
                "sound": {"type": "boolean"}, "verdict": {"type": "string"},
                "remarks": {"type": "array", "items": {"type": "string"}}
              }
            },
            "replay": {
              "type": "object", "required": ["sound", "verdict", "remarks"],
              "properties": {
                "sound": {"type": "boolean"}, "verdict": {"type": "string"},
                "remarks": {"type": "array", "items": {"type": "string"}}
              }
            },
            "remark": {"type": "string"}
          }
        },
        "consume": {
          "description": "One object at the end: the position of the subscription, and what this run delivered.",
          "type": "object", "required": ["name", "seq", "delivered", "parked"],
          "properties": {
            "name": {"type": "string"}, "seq": {"$ref": "#/$defs/revision"}, "delivered": {"$ref": "#/$defs/count"},
            "parked": {"$ref": "#/$defs/count"}
          }
        },
        "subscriptions": {
          "description": "A line for each subscription, or what was changed.",
          "anyOf": [
            {
              "type": "object", "required": ["name", "seq", "lag", "held", "parked", "retrying", "attempts"],
              "properties": {
                "name": {"type": "string"}, "seq": {"anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]},
                "lag": {"$ref": "#/$defs/count"}, "held": {"type": "boolean"}, "parked": {"$ref": "#/$defs/count"},
                "retrying": {"$ref": "#/$defs/count"}, "attempts": {"$ref": "#/$defs/count"},
                "lagSeconds": {"type": "number"}, "updated": {"$ref": "#/$defs/time"}, "holder": {"type": "integer"},
                "error": {"type": "string"}
              }
            },
            {
              "type": "object", "required": ["name"],
              "properties": {
                "name": {"type": "string"}, "seq": {"$ref": "#/$defs/revision"}, "removed": {"const": true},
                "retrying": {"$ref": "#/$defs/count"}
              }
            }
          ]
        },
        "fleet": {
          "description": "A line for each log, and a line with the totals.",
          "anyOf": [
            {
              "description": "A log. end is closed, open, torn, damaged or unreadable.", "type": "object",
              "required": ["path", "end"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "end": {"type": "string"}, "key": {"type": "string"},
                "log": {"type": "string"}, "model": {"type": "string"}, "schema": {"type": "integer"},
                "revision": {"$ref": "#/$defs/revision"}, "segments": {"$ref": "#/$defs/count"},
                "bytes": {"$ref": "#/$defs/count"},
                "last": {
                  "type": "object", "required": ["seq", "time", "type"],
                  "properties": {
                    "seq": {"$ref": "#/$defs/revision"}, "time": {"$ref": "#/$defs/time"}, "type": {"type": "string"}
                  }
                },
                "error": {"$ref": "#/$defs/error"}
              }
            },
            {
              "description": "The totals.", "type": "object", "required": ["total"],
              "properties": {
                "total": {
                  "type": "object", "required": ["logs", "actions", "bytes", "torn", "damaged", "unreadable"],
                  "properties": {
                    "logs": {"$ref": "#/$defs/count"}, "actions": {"$ref": "#/$defs/count"},
                    "bytes": {"$ref": "#/$defs/count"}, "torn": {"$ref": "#/$defs/count"},
                    "damaged": {"$ref": "#/$defs/count"}, "unreadable": {"$ref": "#/$defs/count"}
                  }
                }
              }
            }
          ]
        },
        "each": {
          "description": "A line for each log: answer is what the verb prints, one object or an array of its lines.",
          "type": "object", "required": ["log", "status", "microseconds"],
          "properties": {
            "log": {"$ref": "#/$defs/file"}, "status": {"enum": [0, 1, 2, 3, 4, 5]},
            "microseconds": {"$ref": "#/$defs/count"}, "id": {}, "key": {"type": "string"}, "model": {"type": "string"},
            "revision": {"$ref": "#/$defs/revision"}, "sha256": {"$ref": "#/$defs/sha256"},
            "warnings": {"type": "array", "items": {}}, "error": {"$ref": "#/$defs/error"}, "answer": {}
          }
        },
        "export": {
          "description": "A line for each event of CloudEvents, or one object of the format; with --output one object.",
          "anyOf": [
            {
              "type": "object", "required": ["path", "actions", "bytes"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "actions": {"$ref": "#/$defs/count"}, "bytes": {"$ref": "#/$defs/count"}
              }
            },
            {"type": "object", "additionalProperties": true}
          ]
        },
        "import": {
          "description": "One object: the new log, and what was not read.", "type": "object",
          "required": ["path", "model", "actions", "skipped", "missing", "cursor", "folded"],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "model": {"type": "string"}, "actions": {"$ref": "#/$defs/count"},
            "skipped": {"$ref": "#/$defs/count"}, "missing": {"$ref": "#/$defs/count"},
            "cursor": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "folded": {"type": "boolean"}
          }
        },
        "ship": {
          "description": "A line for each segment.",
          "anyOf": [
            {
              "type": "object", "required": ["outcome", "segment", "path", "first", "bytes", "sealed", "sha256"],
              "properties": {
                "outcome": {"type": "string"}, "segment": {"$ref": "#/$defs/file"}, "path": {"$ref": "#/$defs/file"},
                "first": {"$ref": "#/$defs/revision"}, "bytes": {"$ref": "#/$defs/count"}, "sealed": {"type": "boolean"},
                "sha256": {"anyOf": [{"$ref": "#/$defs/sha256"}, {"type": "null"}]}
              }
            }
          ]
        },
        "verify": {
          "description": "One object for each log, or the verdict on a checkpoint or proof.",
          "anyOf": [
            {"$ref": "#/$defs/verification"},
            {
              "description": "With --checkpoint.", "type": "object",
              "required": ["path", "verdict", "message", "lines", "origin"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "verdict": {"type": "string"}, "message": {"type": "string"},
                "lines": {"$ref": "#/$defs/count"}, "origin": {"type": "string"}, "missing": {"$ref": "#/$defs/count"},
                "more": {"$ref": "#/$defs/count"}, "line": {"$ref": "#/$defs/count"}, "from": {"$ref": "#/$defs/count"},
                "before": {"$ref": "#/$defs/count"}, "signatures": {"type": "array", "items": {"type": "string"}}
              }
            },
            {
              "description": "With --proof.", "type": "object", "required": ["path", "verdict", "message"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "verdict": {"type": "string"}, "message": {"type": "string"},
                "lines": {"$ref": "#/$defs/count"}, "origin": {"type": "string"}, "root": {"$ref": "#/$defs/root"},
                "line": {"$ref": "#/$defs/count"}, "record": {"$ref": "#/$defs/action"},
                "notProved": {"type": "array", "items": {"type": "string"}}, "old": {"$ref": "#/$defs/count"},
                "signatures": {"type": "array", "items": {"type": "string"}}
              }
            },
            {"$ref": "#/$defs/failure"}
          ]
        },
        "checkpoint": {
          "description": "One object: the checkpoint, and its text to be kept.", "type": "object",
          "required": ["lines", "origin", "path", "root", "signatures", "text"],
          "properties": {
            "lines": {"$ref": "#/$defs/count"}, "origin": {"type": "string"}, "path": {"$ref": "#/$defs/file"},
            "root": {"$ref": "#/$defs/root"}, "signatures": {"type": "array", "items": {"type": "string"}},
            "text": {"type": "string"}, "linesRead": {"$ref": "#/$defs/count"}, "tilesWritten": {"$ref": "#/$defs/count"},
            "bundlesWritten": {"$ref": "#/$defs/count"}, "verifierKey": {"type": "string"}
          }
        },
        "prove": {
          "description": "One object: the proof, and its text to be kept.", "type": "object",
          "required": ["path", "lines", "origin", "text"],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "lines": {"$ref": "#/$defs/count"}, "origin": {"type": "string"},
            "text": {"type": "string"}, "line": {"$ref": "#/$defs/count"}, "old": {"$ref": "#/$defs/count"},
            "signatures": {"type": "array", "items": {"type": "string"}}
          }
        },
        "repair": {
          "description": "One object: what was truncated, or with --dry-run would be.", "type": "object",
          "required": ["path", "isNeeded", "isDryRun", "lastSeq", "cutBytes", "quarantineFile", "removedFiles"],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "isNeeded": {"type": "boolean"}, "isDryRun": {"type": "boolean"},
            "lastSeq": {"$ref": "#/$defs/revision"}, "cutBytes": {"$ref": "#/$defs/count"},
            "quarantineFile": {"anyOf": [{"$ref": "#/$defs/file"}, {"type": "null"}]},
            "removedFiles": {"type": "array", "items": {"$ref": "#/$defs/file"}}
          }
        },
        "salvage": {
          "description": "One object: the new log, and what it lacks.", "type": "object",
          "required": [
            "path", "new", "lastSeq", "intactSeq", "joined", "notJoined", "afterGap", "afterGapPath", "skipped", "marks",
            "gaps"
          ],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "new": {"$ref": "#/$defs/file"}, "lastSeq": {"$ref": "#/$defs/revision"},
            "intactSeq": {"$ref": "#/$defs/revision"}, "joined": {"$ref": "#/$defs/count"},
            "notJoined": {"$ref": "#/$defs/count"}, "afterGap": {"$ref": "#/$defs/count"},
            "afterGapPath": {"anyOf": [{"$ref": "#/$defs/file"}, {"type": "null"}]}, "skipped": {"$ref": "#/$defs/count"},
            "marks": {
              "type": "object", "required": ["kept", "moved", "lost", "damagedLines"],
              "properties": {
                "kept": {"$ref": "#/$defs/count"},
                "moved": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["name", "was", "seq"],
                    "properties": {
                      "name": {"type": "string"}, "was": {"$ref": "#/$defs/revision"}, "seq": {"$ref": "#/$defs/revision"}
                    }
                  }
                },
                "lost": {"type": "array", "items": {"$ref": "#/$defs/mark-of-log"}},
                "damagedLines": {"$ref": "#/$defs/count"}
              }
            },
            "gaps": {
              "type": "array",
              "items": {
                "type": "object",
                "required": ["message", "path", "byteOffset", "bytes", "lastSeqBefore", "firstSeqAfter"],
                "properties": {
                  "message": {"type": "string"}, "path": {"$ref": "#/$defs/file"},
                  "byteOffset": {"$ref": "#/$defs/count"}, "bytes": {"$ref": "#/$defs/count"},
                  "lastSeqBefore": {"$ref": "#/$defs/revision"},
                  "firstSeqAfter": {"anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]}
                }
              }
            },
            "firstSeq": {"$ref": "#/$defs/revision"}
          }
        },
        "backup": {
          "description": "One object: the copy, and its verification.", "type": "object",
          "required": ["path", "files", "bytes", "unfinishedBytes", "leftOut", "verification"],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "files": {"type": "array", "items": {"$ref": "#/$defs/file"}},
            "bytes": {"$ref": "#/$defs/count"}, "unfinishedBytes": {"$ref": "#/$defs/count"},
            "leftOut": {
              "type": "array",
              "items": {
                "type": "object", "required": ["path", "message"],
                "properties": {"path": {"$ref": "#/$defs/file"}, "message": {"type": "string"}}
              }
            },
            "verification": {"$ref": "#/$defs/verification"}
          }
        },
        "snapshot": {
          "description": "One object: the snapshot.", "type": "object", "required": ["revision", "path", "bytes"],
          "properties": {
            "revision": {"$ref": "#/$defs/revision"}, "path": {"$ref": "#/$defs/file"}, "bytes": {"$ref": "#/$defs/count"}
          }
        },
        "projections": {
          "description": "A line for each projection, or the snapshot of a rebuilt one.",
          "anyOf": [
            {
              "type": "object", "required": ["name", "version", "revision", "lag", "snapshots", "bytes", "known"],
              "properties": {
                "name": {"type": "string"}, "version": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
                "revision": {"anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]},
                "lag": {"anyOf": [{"$ref": "#/$defs/count"}, {"type": "null"}]}, "snapshots": {"$ref": "#/$defs/count"},
                "bytes": {"$ref": "#/$defs/count"}, "known": {"type": "boolean"}, "remark": {"type": "string"},
                "error": {"type": "string"}
              }
            },
            {
              "type": "object", "required": ["name", "version", "revision", "path", "bytes"],
              "properties": {
                "name": {"type": "string"}, "version": {"type": "integer"}, "revision": {"$ref": "#/$defs/revision"},
                "path": {"$ref": "#/$defs/file"}, "bytes": {"$ref": "#/$defs/count"}
              }
            }
          ]
        },
        "compat": {
          "description": "One object: how the model reads each type.", "type": "object",
          "required": ["path", "model", "schema", "grade", "types", "unused", "recursive", "skeleton"],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "model": {"type": "string"}, "schema": {"type": "integer"},
            "grade": {"type": "string"},
            "types": {
              "type": "array",
              "items": {
                "type": "object", "required": ["type", "schema", "count", "grade", "reason", "seq"],
                "properties": {
                  "type": {"type": "string"}, "schema": {"type": "integer"}, "count": {"$ref": "#/$defs/count"},
                  "grade": {"type": "string"}, "reason": {"type": "string"}, "seq": {"$ref": "#/$defs/revision"}
                }
              }
            },
            "unused": {
              "type": "array",
              "items": {
                "type": "object", "required": ["type", "from", "to"],
                "properties": {"type": {"type": "string"}, "from": {"type": "integer"}, "to": {"type": "integer"}}
              }
            },
            "recursive": {"type": "array", "items": {"type": "string"}},
            "skeleton": {"type": "array", "items": {"type": "string"}}
          }
        },
        "freeze": {
          "description": "One object: the new log.", "type": "object",
          "required": ["path", "parentPath", "revision", "frozenRevision", "actionsFolded"],
          "properties": {
            "path": {"$ref": "#/$defs/file"}, "parentPath": {"$ref": "#/$defs/file"},
            "revision": {"$ref": "#/$defs/revision"},
            "frozenRevision": {"anyOf": [{"$ref": "#/$defs/revision"}, {"type": "null"}]},
            "actionsFolded": {"$ref": "#/$defs/count"}
          }
        },
        "redact": {
          "description": "A line for each place that --find found; one object for a redaction, or for --finish.",
          "anyOf": [
            {
              "type": "object", "required": ["index", "seq", "type", "pointer", "isName"],
              "properties": {
                "index": {"anyOf": [{"$ref": "#/$defs/count"}, {"type": "null"}]}, "seq": {"$ref": "#/$defs/revision"},
                "type": {"type": "string"}, "pointer": {"$ref": "#/$defs/pointer"}, "isName": {"type": "boolean"}
              }
            },
            {"type": "object", "required": ["file"], "properties": {"file": {"$ref": "#/$defs/file"}}},
            {
              "type": "object",
              "required": ["path", "isDryRun", "index", "indices", "lines", "otherPlaces", "otherFiles", "removedFiles"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "isDryRun": {"type": "boolean"},
                "index": {"anyOf": [{"$ref": "#/$defs/count"}, {"type": "null"}]},
                "indices": {"type": "array", "items": {"$ref": "#/$defs/count"}},
                "lines": {
                  "type": "array",
                  "items": {
                    "description": "A redacted line, or the base of a pruned log.",
                    "anyOf": [
                      {
                        "type": "object", "required": ["index", "segment", "seq", "with"],
                        "properties": {
                          "index": {"$ref": "#/$defs/count"}, "segment": {"$ref": "#/$defs/count"},
                          "seq": {"$ref": "#/$defs/revision"},
                          "with": {"description": "The new values by pointer.", "type": "object"}, "skip": {"const": true}
                        }
                      },
                      {
                        "type": "object", "required": ["base", "with"],
                        "properties": {
                          "base": {"const": true}, "with": {"description": "The new values by pointer.", "type": "object"}
                        }
                      }
                    ]
                  }
                },
                "otherPlaces": {"type": "array", "items": {}},
                "otherFiles": {"type": "array", "items": {"$ref": "#/$defs/file"}},
                "removedFiles": {"type": "array", "items": {"$ref": "#/$defs/file"}}
              }
            },
            {
              "type": "object", "required": ["path", "index"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "index": {"anyOf": [{"$ref": "#/$defs/count"}, {"type": "null"}]}
              }
            }
          ]
        },
        "prune": {
          "description": "One object: the first revision of the pruned log, or what --restore restores.",
          "anyOf": [
            {
              "type": "object", "required": ["path", "begins", "segments", "archive", "isDryRun"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "begins": {"$ref": "#/$defs/revision"},
                "segments": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["first", "bytes"],
                    "properties": {"first": {"$ref": "#/$defs/revision"}, "bytes": {"$ref": "#/$defs/count"}}
                  }
                },
                "archive": {"anyOf": [{"$ref": "#/$defs/file"}, {"type": "null"}]}, "isDryRun": {"type": "boolean"},
                "removedTiles": {"$ref": "#/$defs/count"}
              }
            },
            {
              "type": "object", "required": ["path", "restoredFrom", "begins", "isDryRun"],
              "properties": {
                "path": {"$ref": "#/$defs/file"}, "restoredFrom": {"$ref": "#/$defs/file"},
                "begins": {"$ref": "#/$defs/revision"}, "isDryRun": {"type": "boolean"},
                "segments": {"type": "array", "items": {"$ref": "#/$defs/revision"}}
              }
            }
          ]
        },
        "models": {
          "description": "A line for each model.",
          "anyOf": [
            {
              "type": "object", "required": ["name", "schema"],
              "properties": {
                "name": {"type": "string"}, "schema": {"type": "integer"},
                "projections": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["name", "version"],
                    "properties": {"name": {"type": "string"}, "version": {"type": "integer"}}
                  }
                },
                "mended": {"type": "string"}
              }
            }
          ]
        },
        "completions": {
          "description": "One object: the script.", "type": "object", "required": ["shell", "script"],
          "properties": {"shell": {"enum": ["bash", "zsh", "fish"]}, "script": {"type": "string"}}
        },
        "manual": {
          "description": "One object: the page.", "type": "object", "required": ["section", "page"],
          "properties": {"section": {"type": "integer"}, "page": {"type": "string"}}
        },
        "mcp": {
          "description": "A line for each message of the Model Context Protocol.", "type": "object",
          "required": ["jsonrpc"], "properties": {"jsonrpc": {"const": "2.0"}}, "additionalProperties": true
        },
        "help": {
          "description": "A line for each command, or one object for one; 'help json' prints this schema.",
          "anyOf": [
            {
              "type": "object", "required": ["name", "summary", "usage", "details", "examples", "arguments", "options"],
              "properties": {
                "name": {"type": "string"}, "summary": {"type": "string"}, "usage": {"type": "string"},
                "details": {"type": "string"},
                "examples": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["arguments", "meaning"],
                    "properties": {"arguments": {"type": "string"}, "meaning": {"type": "string"}}
                  }
                },
                "arguments": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["name", "help"],
                    "properties": {"name": {"type": "string"}, "help": {"type": "string"}}
                  }
                },
                "options": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["usage", "help"],
                    "properties": {"usage": {"type": "string"}, "help": {"type": "string"}}
                  }
                }
              }
            },
            {
              "description": "A subject.", "type": "object", "required": ["name", "summary", "details", "examples"],
              "properties": {
                "name": {"type": "string"}, "summary": {"type": "string"}, "details": {"type": "string"},
                "examples": {
                  "type": "array",
                  "items": {
                    "type": "object", "required": ["arguments", "meaning"],
                    "properties": {"arguments": {"type": "string"}, "meaning": {"type": "string"}}
                  }
                }
              }
            },
            {
              "description": "This document.", "type": "object", "required": ["$schema", "$id", "$defs"],
              "properties": {"$schema": {"type": "string"}, "$id": {"type": "string"}, "$defs": {"type": "object"}},
              "additionalProperties": true
            }
          ]
        },
        "version": {
          "description": "One object.", "type": "object", "required": ["name", "version", "format"],
          "properties": {"name": {"type": "string"}, "version": {"type": "string"}, "format": {"const": "actionlog/1"}}
        }
      }
    }

    """#

  /// Parses the document.
  ///
  /// - Complexity: O(size), about 60 KB.
  static func document() throws(JSONError) -> JSONObject {
    guard case .object(let document) = try JSONValue(parsing: Array(text.utf8)) else { return JSONObject() }
    return document
  }

  /// Returns a schema with the definitions that it refers to, so that it needs no other document.
  ///
  /// - Parameters:
  ///   - schema: A schema, whose references begin with `#/$defs/`.
  ///   - definitions: The definitions of the document.
  static func selfContained(_ schema: JSONObject, _ definitions: JSONObject) -> JSONObject {
    var needed: Set<String> = []
    var pending: [JSONValue] = [.object(schema)]
    // Each definition is visited once, so a recursive one ends, too.
    while let value = pending.popLast() {
      switch value {
      case .array(let elements): pending += elements
      case .object(let object):
        for member in object {
          if member.name == "$ref", case .string(let reference) = member.value {
            let name = String(reference.dropFirst(prefix.count))
            if needed.insert(name).inserted, let definition = definitions[name] { pending.append(definition) }
          } else {
            pending.append(member.value)
          }
        }
      default: break
      }
    }
    guard !needed.isEmpty else { return schema }
    var schema = schema
    schema["$defs"] = .object(
      JSONObject(
        definitions.filter { member in needed.contains(member.name) }.map { member in (member.name, member.value) }))
    return schema
  }

  private static let prefix = "#/$defs/"
}
