import DeviceWire
import Platform

/// What an earlier job left of the same content.
struct BegunFile {
    /// Its bytes.
    var size: UInt64
    /// Whether all of them are known to be right.
    var isSealed: Bool
    /// Bytes that were compared.
    var reviewed: UInt64 = 0
}

extension WriteOptions {
    /// The digest that names begun content; nil if none is left.
    var begunDigest: String? { verification == .size ? contentDigest : nil }

    /// The time of a begun file whose bytes the device has acknowledged: a later write gives it another one. In
    /// whole seconds, because old file systems have no parts of them.
    var seal: Int64? {
        // A second of 32 years from 2001 on.
        let span: UInt64 = 1 << 30
        return begunDigest.map { Int64(978_307_200 + FNV1a.of($0.utf8) % span) * 1_000_000_000 }
    }
}

/// Going on with what an earlier job left.
///
/// Its name says which content it is a part of, and bytes are written to their own places only, so that late requests of a lost
/// connection write what is there. A part without the seal, such as that of a cable that was pulled, is read and compared; the
/// first difference and what comes after it are written again.
extension PushJob {
    /// Asks for what an earlier job left; the open follows.
    func lookForBegun(on channel: AFCChannel) {
        channel.send(
            .getFileInfo(path: temporary), for: self, slot: Slot.begun,
            expecting: RequestJob.maximumListing)
    }

    func takeBegun(_ answer: BorrowedReply, on channel: AFCChannel) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        do throws(TransportError) {
            let found = try FileStatus(ifThere: answer, temporary)
            guard found == nil || found?.kind == .file else {
                throw TransportError(
                    .verificationFailed, "Something else has the name of the unfinished file.",
                    subject: temporary)
            }
            begun = BegunFile(
                size: found?.size ?? 0, isSealed: found?.modified != nil && found?.modified == options.seal)
        } catch {
            return fail(error)
        }
        goOn(on: channel)
    }

    /// Goes on when it is known what is there, and the file is open.
    func goOn(on channel: AFCChannel) {
        guard phase == .opening, failure == nil, heldBack == nil, let handle, let begun, let content else {
            return
        }
        guard begun.size > 0 else {
            phase = .writing
            return
        }
        if begun.size > content.size {
            channel.send(.fileSetSize(handle: handle, size: 0), for: self, slot: Slot.seek)
            phase = .writing
        } else if begun.isSealed {
            write(from: begun.size, on: channel)
        } else {
            phase = .reviewing
            review(on: channel)
        }
    }

    /// Requests the next piece, or writes the rest when all have been compared.
    func review(on channel: AFCChannel) {
        guard phase == .reviewing, failure == nil, owed == 0, let handle, let begun else { return }
        guard begun.reviewed < begun.size else { return write(from: begun.reviewed, on: channel) }
        let count = min(UInt64(chunk), begun.size - begun.reviewed)
        channel.send(
            .fileRead(handle: handle, length: count), for: self, slot: Slot.review, expecting: Int(count),
            down: Int(count))
    }

    func takeReview(_ answer: BorrowedReply, on channel: AFCChannel) {
        guard failure == nil, phase == .reviewing, let content, let reviewed = begun?.reviewed else { return }
        do throws(TransportError) {
            let bytes = try answer.data(subject)
            guard !bytes.isEmpty, UInt64(bytes.count) <= content.size - reviewed else {
                return write(from: reviewed, on: channel)
            }
            var own = [UInt8](repeating: 0, count: bytes.count)
            let read = own.withUnsafeMutableBytes { buffer in
                Result { () throws(TransportError) in try content.read(at: reviewed, into: buffer) }
            }
            try read.get()
            guard own.elementsEqual(bytes) else { return write(from: reviewed, on: channel) }
            begun?.reviewed += UInt64(bytes.count)
        } catch {
            return fail(error)
        }
        review(on: channel)
    }

    private func write(from offset: UInt64, on channel: AFCChannel) {
        guard let handle else { return }
        channel.send(
            .fileSeek(handle: handle, origin: AFCSeekOrigin.start.rawValue, offset: Int64(clamping: offset)),
            for: self, slot: Slot.seek)
        (sent, acknowledged) = (offset, offset)
        meter.moved(Int(clamping: offset))
        phase = .writing
        write(on: channel)
    }

    // MARK: Being cut off

    /// Whether the job was cut off, so that what it has written stays.
    var leavesBegun: Bool {
        isContinued && failure?.cutsOff == true
    }

    /// Closes the file and lets it stay.
    func leaveBegun(on channel: AFCChannel) {
        phase = .cleaning
        if let handle { closeBegun(handle, on: channel) }
        // The content is still needed for the seal.
        done()
    }

    func closeBegun(_ handle: UInt64, on channel: AFCChannel) {
        self.handle = nil
        channel.send(.fileClose(handle: handle), for: self, slot: Slot.ended)
    }

    /// Seals the file, if everything before its end is right: what was found there was compared or written again, every write was
    /// carried out, and the local file has not changed.
    func takeEnded(_ answer: BorrowedReply, on channel: AFCChannel) {
        defer { content = nil }
        guard answer.failure(subject) == nil, !hasFailedWrite, acknowledged == sent, hasNothingUnknown,
            isFromOneContent, let seal = options.seal
        else { return }
        channel.send(
            .setFileModTime(path: temporary, nanoseconds: UInt64(clamping: seal)), for: self,
            slot: Slot.cleanup)
    }

    /// Whether no byte is left that an earlier job wrote and this one has not looked at.
    private var hasNothingUnknown: Bool {
        guard let begun, let content else { return false }
        // A file that is too long was emptied.
        return begun.size > content.size || begun.isSealed || sent >= begun.size
    }

    private var isFromOneContent: Bool {
        do throws(TransportError) {
            return try content?.isStill(of: options.modified) ?? false
        } catch {
            return false
        }
    }
}
