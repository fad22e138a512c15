/// What a person can do.
enum MarvinHint {
    static let connect =
        "Open Marvin on the device, turn on its calibre connection, and keep the device awake."
    static let damaged =
        "Restart Marvin on the device. If it shows its books, try again; otherwise, restore a backup in "
        + "Marvin."
    static let restart = "Restart Marvin on the device, then run the same command again."
    static let busy = "Wait until Marvin is idle, then try again."
    static let container =
        "Marvin keeps its library in its container, which is accessible only before iOS 8.3 or for a "
        + "copy of Marvin signed for development."
}
