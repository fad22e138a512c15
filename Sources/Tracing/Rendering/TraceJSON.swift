import JSON
import OverlayABI
import OverlayCalls
import Platform

/// Converts values and records of a recording to JSON.
package enum TraceJSON {
    /// The header of the recording.
    package static func header(_ reader: TraceReader) -> JSONValue {
        let signal: [(String, JSONValue)] = reader.signal.map { [("signal", .integer(Int64($0)))] } ?? []
        return object(
            [
                ("record", .string("header")), ("host", .string(reader.host)),
                ("contract", .string("\(reader.contract.major).\(reader.contract.minor)")),
                ("same_contract", .bool(reader.isSameContract)), ("began_ns", unsigned(reader.began)),
                ("content_limit", unsigned(reader.contentLimit)),
            ] + signal)
    }

    /// One record.
    package static func event(_ event: TraceEvent) -> JSONValue {
        var members: [(String, JSONValue)] = []
        func place(_ kind: String) {
            members.append(("record", .string(kind)))
            members.append(("time_ns", unsigned(event.time)))
            guard let function = event.function else { return }
            members.append(("thread", unsigned(UInt64(event.thread))))
            members.append(("call", unsigned(UInt64(event.call))))
            members.append(("caller", .string(event.isFromOverlay ? "overlay" : "host")))
            members.append(("function", .string(function.displayName)))
            members.append(
                (function.isSink ? "sink" : "instance", unsigned(UInt64(event.target))))
        }
        switch event.content {
        case .call(let values):
            place("call")
            if event.overlay != 0 { members.append(("overlay", unsigned(UInt64(event.overlay)))) }
            members.append(("complete", .bool(values != nil)))
            if let function = event.function, let values {
                members.append(("arguments", arguments(function, values)))
            }
        case .answer(let result, let written):
            place("return")
            if let result { members.append(("result", value(result))) }
            if let function = event.function, written.contains(where: { $0 != nil }) {
                members.append(("written", arguments(function, written)))
            }
        case .overlay(let overlay):
            place("overlay")
            members += [
                ("overlay", unsigned(UInt64(overlay.number))), ("id", .string(overlay.id)),
                ("name", .string(overlay.name)), ("version", .string(overlay.version)),
                ("file", .string(overlay.file)), ("isolation", .string(overlay.isolation)),
                ("minor", unsigned(UInt64(overlay.minor))),
            ]
        case .breakdown(let breakdown):
            place("breakdown")
            members.append(("clause", .string(breakdown.clause)))
            if !breakdown.lastService.isEmpty {
                members.append(("last_service", .string(breakdown.lastService)))
            }
            if !breakdown.words.isEmpty { members.append(("words", .string(breakdown.words))) }
        case .end(let isDiskFull):
            place("end")
            members.append(("disk_full", .bool(isDiskFull)))
        }
        return object(members)
    }

    /// The arguments by name.
    static func arguments(_ function: FunctionPlan, _ values: [TraceValue?]) -> JSONValue {
        let names = TraceShapes.argumentNames(function)
        return object(
            values.enumerated().compactMap { index, value in
                guard let value, value != .context, index < names.count else { return nil }
                return (names[index], self.value(value))
            })
    }

    /// One value.
    package static func value(_ value: TraceValue) -> JSONValue {
        switch value {
        case .null, .absent, .context: .null
        case .signed(let number): .integer(number)
        case .unsigned(let number): unsigned(number)
        case .number(let number): JSONNumber(number).map { .number($0) } ?? .string(String(number))
        case .text(let bytes): text(bytes)
        case .bytes(let bytes): self.bytes(bytes)
        case .list(let values): .array(values.map(Self.value))
        case .record(let record): self.record(record)
        case .sink(let number), .instance(let number): number == 0 ? .null : unsigned(UInt64(number))
        case .presence(let isThere): .bool(isThere)
        case .impossible(let size): object([("impossible", unsigned(size))])
        }
    }

    private static func record(_ record: TraceRecordValue) -> JSONValue {
        let shape = TraceShapes.all[record.plan.index]
        return object(
            record.values.enumerated().compactMap { index, value in
                guard let value, value != .context else { return nil }
                return (shape.fields[index].name, self.value(value))
            })
    }

    private static func text(_ text: TraceBytes) -> JSONValue {
        if text.isWhole, let whole = String(validating: text.kept, as: UTF8.self) { return .string(whole) }
        return bytes(text)
    }

    private static func bytes(_ bytes: TraceBytes) -> JSONValue {
        var members: [(String, JSONValue)] = [("size", unsigned(bytes.size))]
        if let text = TraceText.readable(bytes.kept) {
            members.append(("text", .string(text)))
        } else {
            members.append(("hex", .string(Hex.text(bytes.kept))))
        }
        if let digest = bytes.digest {
            members.append(("sha256", .string(Hex.text(digest))))
        }
        return object(members)
    }

    static func unsigned(_ number: UInt64) -> JSONValue {
        Int64(exactly: number).map { .integer($0) } ?? .string(String(number))
    }

    static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        var object = JSONObject()
        for (name, value) in members { object[name] = value }
        return .object(object)
    }
}
