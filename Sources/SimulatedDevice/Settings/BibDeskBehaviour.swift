/// What a simulated BibDesk does by itself, as the app did while it synced with Dropbox.
public enum BibDeskBehaviour: String, Sendable, Equatable, CaseIterable {
    /// It only shows its files.
    case normal
    /// It removes the libraries and papers that it did not bring itself, whenever the settings of the device are made.
    case removesUnknownFiles = "removes-unknown-files"
    /// It changes the first entry of each library when a host has written an unfinished file, once for each time the
    /// settings are made.
    case editsDuringSync = "edits-during-sync"
    /// Its clock is a day ahead: it changes the first entry of each library at the time of tomorrow, once for each time
    /// the settings are made.
    case clockAhead = "clock-ahead"
}
