import JSON

/// The result of replaying a recording.
package struct ReplayReport: Sendable, Equatable {
    /// The first difference between the overlay and the recording.
    package struct Difference: Sendable, Equatable {
        /// The running method of the overlay.
        package var method: String
        /// The number of the recorded call.
        package var call: UInt32
        /// The function with the difference: the method itself, a service, or a sink.
        package var function: String
        /// The argument, field or result; nil if the call as a whole differs.
        package var place: String?
        /// The recorded value or call.
        package var expected: String
        /// What the overlay did.
        package var seen: String
    }

    /// How many methods were called, including `create` and `destroy`.
    package var methods = 0
    /// How many calls in both directions were compared.
    package var calls = 0
    /// The first difference; nil if there is none.
    package var difference: Difference?
    /// Why the rest could not be replayed; nil if everything was.
    package var obstacle: String?
    /// What to do about the obstacle.
    package var hint: String?
    /// Further sentences for the user.
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
