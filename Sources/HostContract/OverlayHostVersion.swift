/// The version of this host.
public enum OverlayHostVersion {
    /// The semantic version, as printed by `overlayhost --version` and passed to overlays in `ovl_host.version`.
    public static let text = "0.1.0"
}
