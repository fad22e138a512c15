/// How often `DeviceWatch` asks a device for something that the device does not report.
///
/// The notifications of iOS are not used: they need a service that stays open, and that a locked device may refuse.
struct WatchPace: Sendable {
    /// Between two questions to a reader app whether it is ready.
    var asking = Duration.seconds(2)
    /// Between two searches for a reader app: a device that is unlocked and an app that is installed are seen within five
    /// seconds, and a conversation that is kept for the next search is not too old for it.
    var searching = Duration.seconds(4)
}
