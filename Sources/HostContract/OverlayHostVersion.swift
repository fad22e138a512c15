/// The version of this host.
///
/// ```swift
/// print("Bookshelf 1.0 with OverlayHost \(OverlayHostVersion.text)")
/// ```
public enum OverlayHostVersion {
    /// The semantic version, as printed by `overlayhost --version` and passed to overlays in `ovl_host.version`.
    public static let text = "0.1.0"
}
