/// What a person can do.
enum MarvinHint {
    static let connect =
        "Open Marvin on the device, switch its calibre connection on, and keep the device awake."
    static let damaged =
        "Restart Marvin on the device; if it shows its books, try again, otherwise restore a backup in Marvin."
    static let restart = "Restart Marvin on the device, then run the same command again."
    static let busy = "Wait until Marvin has finished what it is doing, then try again."
    static let container =
        "Marvin keeps its library in its container, which iOS opens only before version 8.3, or for a copy of Marvin that "
        + "is signed for development."
}
