import OverlayABI
import OverlayBridge
import OverlayKit

extension FakeHost {
    static func makeLog(_ context: UnsafeMutableRawPointer) -> ovl_log_service {
        var table = ovl_log_service.sized()
        table.ctx = context
        table.write = { context, severity, _, message, pairs in
            guard let context else { return }
            var text = textOf(message)
            attempt {
                try pairs?.pointee.forEach(ovl_pair.self, "pairs") { pair throws(OverlayError) in
                    text += " \(try pair.key.required("key"))=\(try pair.value.required("value"))"
                }
            }
            FakeHost.from(context).record(text, isWarning: severity >= OVL_LOG_WARNING)
        }
        return table
    }

    static func makePrefs(_ context: UnsafeMutableRawPointer) -> ovl_prefs_service {
        var table = ovl_prefs_service.sized()
        table.ctx = context
        table.get_integer = { context, key, fallback, value, _ in
            guard let context, let key = attempt({ try key.pointee.required("key") }) else {
                return OVL_INVALID_ARGUMENT
            }
            value.pointee = FakeHost.from(context).integers[key] ?? fallback
            return OVL_OK
        }
        table.get_bool = { context, key, fallback, value, _ in
            guard let context else { return OVL_CONTRACT_BROKEN }
            value.pointee = FakeHost.from(context).bools[textOf(key)].map { $0 ? 1 : 0 } ?? fallback
            return OVL_OK
        }
        table.get_number = { context, key, fallback, value, _ in
            guard let context else { return OVL_CONTRACT_BROKEN }
            value.pointee = FakeHost.from(context).numbers[textOf(key)] ?? fallback
            return OVL_OK
        }
        table.get_texts = { context, key, sink, _ in
            guard let context else { return OVL_CONTRACT_BROKEN }
            guard let text = FakeHost.from(context).texts[textOf(key)] else { return OVL_OK }
            let arena = Arena()
            var view = arena.text(text)
            return sink.pointee.put?(sink.pointee.ctx, &view) ?? OVL_FAILED
        }
        return table
    }

    static func makeProgress(_ context: UnsafeMutableRawPointer) -> ovl_progress_service {
        var table = ovl_progress_service.sized()
        table.ctx = context
        table.report = { context, completed, total, phase in
            guard let context else { return }
            FakeHost.from(context).report(completed, total, phase.map(textOf) ?? "")
        }
        return table
    }

    static func makeCalls(_ context: UnsafeMutableRawPointer) -> ovl_calls_service {
        var table = ovl_calls_service.sized()
        table.ctx = context
        table.name_call = { context, sink, _ in
            guard let context else { return OVL_CONTRACT_BROKEN }
            let (host, arena) = (FakeHost.from(context), Arena())
            host.names.append("name-\(host.names.count + 1)")
            var view = arena.text(host.names.last)
            return withExtendedLifetime(arena) { sink.pointee.put?(sink.pointee.ctx, &view) ?? OVL_FAILED }
        }
        table.has_ended = { context, name in
            guard let context else { return 0 }
            return FakeHost.from(context).ended.contains(textOf(name)) ? 1 : 0
        }
        return table
    }

    static func makeCancel(_ context: UnsafeMutableRawPointer) -> ovl_cancel_service {
        var table = ovl_cancel_service.sized()
        table.ctx = context
        table.is_cancelled = { context in
            guard let context else { return 0 }
            let host = FakeHost.from(context)
            return host.isCancelled || host.isGone ? 1 : 0
        }
        table.time_left = { _ in unlimited }
        table.wait = { context, nanoseconds, error in
            guard let context else { return OVL_CONTRACT_BROKEN }
            return answer(FakeHost.from(context).wait(.nanoseconds(Int64(clamping: nanoseconds))), "", error)
        }
        return table
    }
}

/// The status to return, with its error put first.
func answer(
    _ status: OverlayStatus?, _ path: String, _ error: UnsafePointer<ovl_error_sink>?
) -> ovl_status {
    guard let status else { return OVL_OK }
    if let error {
        OverlayError(status, "The fake device says \(status).", subject: path.isEmpty ? nil : path).put(
            into: error)
    }
    return status.rawValue
}

/// The text behind a view; empty if it is absent.
func textOf(_ view: UnsafePointer<ovl_text>) -> String {
    (attempt { try view.pointee.string("text") } ?? nil) ?? ""
}

/// C's `UINT64_MAX`, whose macro Swift does not import.
let unlimited = UInt64.max
