import OverlayABI
import OverlayCalls

extension FunctionPlan {
    /// The name for people: `books`, `transport.list`, `book_sink.put`.
    package var displayName: String {
        var table = record.name
        if table == "ovl_methods" || table == "ovl_entry" || table == "ovl_host" { return name }
        if table.hasPrefix("ovl_") { table.removeFirst(4) }
        if table.hasSuffix("_service") { table.removeLast("_service".count) }
        return table + "." + name
    }

    /// Whether it is a method of an overlay, or creates or ends an instance.
    package var isMethod: Bool { record.name == "ovl_methods" || record.name == "ovl_entry" }

    /// Whether it is the function of a sink.
    package var isSink: Bool { thread == OVL_THREAD_CALLER }
}

/// The names of statuses.
package enum StatusName {
    private static let names = [
        "OVL_OK", "OVL_FAILED", "OVL_CANCELLED", "OVL_TIMED_OUT", "OVL_DEVICE_GONE", "OVL_NOT_SUPPORTED",
        "OVL_INVALID_ARGUMENT", "OVL_NOT_FOUND", "OVL_ACCESS_REFUSED", "OVL_ALREADY_EXISTS", "OVL_NO_SPACE",
        "OVL_BUSY", "OVL_DEVICE_IO", "OVL_HOST_IO", "OVL_PROTOCOL_ERROR", "OVL_DAMAGED",
        "OVL_UNSUPPORTED_FORMAT", "OVL_APP_UNAVAILABLE", "OVL_REJECTED", "OVL_DEVICE_LOCKED",
        "OVL_VERIFICATION_FAILED", "OVL_WRONG_STATE", "OVL_CONTRACT_BROKEN", "OVL_STOPPED",
        "OVL_NEEDS_CONSENT", "OVL_CHANGED",
    ]

    /// The name in the header, or the number if this program does not know the status.
    package static func of(_ status: Int64) -> String {
        names.indices.contains(Int(clamping: status)) ? names[Int(clamping: status)] : "status \(status)"
    }
}
