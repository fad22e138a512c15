extension BuiltInSniffer {
    /// A package with a licence and a manifest that lists only PDF (format reference 6.4).
    static let lcpProtectedPdf = BuiltInSniffer(
        "lcpProtectedPdf", .lcpProtectedPdf, extensions: ["lcpdf"], mediaTypes: [.lcpProtectedPdf]
    ) { context in
        guard context.contentAsZip?.rootEntry("license.lcpl") != nil,
            context.archiveManifest?.isPdfSequence == true
        else { return nil }
        return "license.lcpl and a manifest.json with a reading order of PDF"
    }
}
