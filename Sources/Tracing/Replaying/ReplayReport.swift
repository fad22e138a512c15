import JSON

/// What came of replaying a recording.
package struct ReplayReport: Sendable, Equatable {
    /// The first difference between the overlay and the recording.
    package struct Difference: Sendable, Equatable {
        /// The method of the overlay that ran.
        package var method: String
        /// The number of the recorded call.
        package var call: UInt32
        /// The function in which it shows: the method itself, a service, a sink.
        package var function: String
        /// The argument, field or result; nil when it is the call as a whole.
        package var place: String?
        /// What the recording says.
        package var expected: String
        /// What the overlay did.
        package var seen: String
    }

    /// How many methods were called, `create` and `destroy` among them.
    package var methods = 0
    /// How many calls in both directions were compared.
    package var calls = 0
    /// The first difference; nil if there is none.
    package var difference: Difference?
    /// Why the rest could not be replayed; nil if all was.
    package var obstacle: String?
    /// What helps against the obstacle.
    package var hint: String?
    /// What a person should know besides.
    package var notes: [String] = []

    /// `same`, `different`, or `incomplete`.
    package var result: String {
        difference != nil ? "different" : obstacle != nil ? "incomplete" : "same"
    }

    package var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("result", .string(result)), ("methods", .integer(Int64(methods))),
            ("calls", .integer(Int64(calls))),
        ]
        if let difference {
            members.append(
                (
                    "difference",
                    TraceJSON.object([
                        ("method", .string(difference.method)), ("call", .integer(Int64(difference.call))),
                        ("function", .string(difference.function)),
                        ("place", difference.place.map { .string($0) } ?? .null),
                        ("expected", .string(difference.expected)), ("seen", .string(difference.seen)),
                    ])
                ))
        } else {
            members.append(("difference", .null))
        }
        members.append(("obstacle", obstacle.map { .string($0) } ?? .null))
        members.append(("notes", .texts(notes)))
        return TraceJSON.object(members)
    }
}
