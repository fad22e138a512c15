import ArgumentParser
import JSON
import OverlayHost
import Platform

/// `df`: shows how full the device is.
struct DfCommand: DeviceCommand {
    static let configuration = CommandConfiguration(
        commandName: "df", abstract: "Show how much space the device has.",
        usage: "overlayhost df [<options>]",
        discussion: """
            Apps share the device's space. An app with its own space gets its own row.
            """)

    static let takes: Set<CommonOption> = [.device, .simulated, .profile, .plugins, .prefs, .inProcess]

    @OptionGroup var global: GlobalOptions<DfCommand>

    func run(_ invocation: Invocation) throws(HostError) -> ExitStatus {
        let opening = invocation.setup.opening(invocation.options.device, invocation.cancellation)
        defer { opening.giveUp() }
        var request = try invocation.request()
        request.opening = opening
        let space = try DeviceSpace.run(request)
        invocation.setup.names.note(space.device.udid, space.device.name)
        invocation.progress.clear()
        var document = Self.document(space.volume)
        document["device"] = .string(space.device.udid)
        document["name"] = .optional(space.device.name)
        document["apps"] = .array(
            space.apps.map { app in
                var row = Self.document(app.volume)
                row["app"] = .string(app.name)
                row["bundle_id"] = .string(app.bundleID)
                return .object(row)
            })
        invocation.console.result(.object(document)) {
            var table = TextTable([
                .init(title: "NAME", isKey: true), .init(title: "SIZE", alignment: .right, minimum: 6),
                .init(title: "USED", alignment: .right, minimum: 6),
                .init(title: "FREE", alignment: .right, minimum: 6), .init(title: "USE%", alignment: .right),
            ])
            table.add(Self.row(space.device.name ?? space.device.udid, space.volume))
            for app in space.apps { table.add(Self.row(app.name, app.volume)) }
            return table.render(width: invocation.console.width)
        }
        return .done
    }

    private static func document(_ volume: DeviceSpace.Volume) -> JSONObject {
        var object = JSONObject()
        object["total"] = .integer(Int64(clamping: volume.total))
        object["used"] = .integer(Int64(clamping: volume.used))
        object["free"] = .integer(Int64(clamping: volume.free))
        return object
    }

    private static func row(_ name: String, _ volume: DeviceSpace.Volume) -> [String] {
        let share = volume.total > 0 ? Double(volume.used) / Double(volume.total) : 0
        return [
            name, ByteCount.text(volume.total), ByteCount.text(volume.used), ByteCount.text(volume.free),
            "\(Int((share * 100).rounded(.up)))%",
        ]
    }
}
