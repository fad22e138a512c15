import Archives

extension ZipArchive {
    /// Opens the archive that a resource holds, which the archive owns from now on and closes also when this fails.
    ///
    /// Unless the resource is a local file, reads are widened to blocks and kept, so that few requests suffice (fetcher
    /// reference 9.5).
    public static func open(
        resource: any Resource, readAhead: ReadAhead = ReadAhead()
    ) throws(ArchiveError) -> ZipArchive {
        try open(source: ResourceByteSource(resource), readAhead: resource.file == nil ? readAhead : nil)
    }
}
