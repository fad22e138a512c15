/// The version of this host.
public enum OverlayHostVersion {
    /// Semantic version, as `overlayhost --version` prints it and overlays see it in `ovl_host.version`.
    public static let text = "0.1.0"
}
