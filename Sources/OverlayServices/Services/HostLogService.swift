import OverlayLoading
import OverlayBridge
import HostContract
import Logging
import OverlayABI
import Tracing

final class HostLogService: HostService {
    let context: InstanceContext

    init(_ context: InstanceContext) { self.context = context }

    /// The log service, which passes records to swift-log.
    var table: ovl_log_service {
        var table = ovl_log_service.sized()
        table.ctx = pointer
        table.enabled = { context, severity in
            guard let service = HostLogService.of(context) else { return 0 }
            return Logger.Level(severity: severity) >= service.environment.loggers.overlay.logLevel ? 1 : 0
        }
        table.write = { context, severity, category, message, pairs in
            HostLogService.of(context)?.write(severity, category, message, pairs)
        }
        return table
    }

    private func write(
        _ severity: UInt32, _ category: UnsafePointer<ovl_text>, _ message: UnsafePointer<ovl_text>,
        _ pairs: UnsafePointer<ovl_list>?
    ) {
        let level = Logger.Level(severity: severity)
        guard level >= environment.loggers.overlay.logLevel else { return }
        guard UInt(bitPattern: message) != 0, UInt(bitPattern: category) != 0 else {
            return context.misbehaved(
                ContractBreach(.nullPointer, "It was called with a null pointer."), in: "log.write")
        }
        var metadata: Logger.Metadata = ["overlay": "\(context.overlay.id)"]
        if let category = category.pointee.readMessage() { metadata["category"] = "\(category)" }
        if severity == OVL_LOG_OVERLAY_MISBEHAVING { metadata["contract"] = "overlay" }
        if severity == OVL_LOG_HOST_MISBEHAVING { metadata["contract"] = "host" }
        if let pairs {
            do throws(ContractBreach) {
                let all = try pairs.pointee.read(ovl_pair.self, "pairs", limit: 64) {
                    ($0.key.readMessage() ?? "", $0.value.readMessage() ?? "")
                }
                // Shorten descriptions and covers in the text of a command, because they would fill the log.
                for (key, value) in all { metadata[key] = "\(CommandText.shortened(value))" }
            } catch {
                context.misbehaved(error, in: "log.write")
            }
        }
        environment.loggers.overlay.log(
            level: level, "\(message.pointee.readMessage() ?? "")", metadata: metadata)
    }
}

extension Logger.Level {
    /// The level of an `OVL_LOG_…` number. A number of a later version counts as an error, so that it is not hidden.
    init(severity: UInt32) {
        switch severity {
        case OVL_LOG_TRACE: self = .trace
        case OVL_LOG_DEBUG: self = .debug
        case OVL_LOG_INFO: self = .info
        case OVL_LOG_NOTICE: self = .notice
        case OVL_LOG_WARNING: self = .warning
        default: self = .error
        }
    }
}
