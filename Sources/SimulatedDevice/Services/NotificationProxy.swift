import PropertyLists
import DeviceWire
import Glibc

/// The notification_proxy service, which passes notifications between the device and hosts that observe them.
struct NotificationProxy {
    static let serviceName = "com.apple.mobile.notification_proxy"

    let device: SimulatedDevice
    let stream: ConnectionStream

    func run() throws {
        let channel = PropertyListChannel(stream: stream)
        let inbox = try NotificationInbox()
        device.notifications.add(inbox)
        defer { device.notifications.remove(inbox) }
        while true {
            guard try stream.waitForInput(orEvent: inbox.descriptor) else {
                for name in inbox.take() {
                    try channel.send(["Command": "RelayNotification", "Name": .string(name)])
                }
                continue
            }
            guard let request = try channel.receive() else { return }
            let name = request["Name"]?.string
            switch request["Command"]?.string {
            case "ObserveNotification":
                try device.accept("notification_proxy.ObserveNotification", on: stream)
                if let name { inbox.observe(name) }
            case "PostNotification":
                try device.accept("notification_proxy.PostNotification", on: stream)
                if let name { device.notifications.post(name) }
            case "Shutdown":
                try device.accept("notification_proxy.Shutdown", on: stream)
                return try channel.send(["Command": "ProxyDeath"])
            default:
                try device.accept("notification_proxy.unknown", on: stream)
            }
        }
    }
}
