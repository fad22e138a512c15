import DeviceWire
import Platform

/// The part of a file that an earlier job with the same content wrote.
struct PartialUpload {
    /// The number of bytes that it has.
    var size: UInt64
    /// Whether all of its bytes are known to be correct.
    var isSealed: Bool
    /// The number of bytes that were compared.
    var reviewed: UInt64 = 0
}

extension WriteOptions {
    /// The digest that names partial content; nil if none is kept.
    var partialDigest: String? { verification == .size ? contentDigest : nil }

    /// The modification time that marks a partial file whose bytes the device has all acknowledged. A later write
    /// changes that time. It is in whole seconds, because old file systems do not store fractions.
    var seal: Int64? {
        // A second within about 34 years from 2001.
        let span: UInt64 = 1 << 30
        return partialDigest.map {
            (CivilTime.secondsTo2001 + Int64(FNV1a.of($0.utf8) % span)) * 1_000_000_000
        }
    }
}

/// Continues a file that an earlier job began.
///
/// Its name identifies the content that it is a part of. Bytes are only written to their own positions, so that late
/// requests of a lost connection write the same bytes. A part without the seal, for example after a cable was pulled,
/// is read and compared. The first difference and everything after it are written again.
extension PushJob {
    /// Asks for the file of an earlier job. The open follows.
    func requestPartialInfo(on channel: AFCChannel) {
        channel.send(
            .getFileInfo(path: temporary), for: self, slot: Slot.partial,
            expecting: RequestJob.maximumListing)
    }

    func takePartialInfo(_ answer: BorrowedReply, on channel: AFCChannel) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        do throws(TransportError) {
            let found = try FileStatus(ifThere: answer, temporary)
            guard found == nil || found?.kind == .file else {
                throw TransportError(
                    .verificationFailed, "A folder or link has the name of the temporary file.",
                    subject: temporary)
            }
            partial = PartialUpload(
                size: found?.size ?? 0, isSealed: found?.modified != nil && found?.modified == options.seal)
        } catch {
            return fail(error)
        }
        goOn(on: channel)
    }

    /// Continues when the existing part is known and the file is open.
    func goOn(on channel: AFCChannel) {
        guard phase == .opening, failure == nil, heldBack == nil, let handle, let partial, let content else {
            return
        }
        guard partial.size > 0 else {
            phase = .writing
            return
        }
        if partial.size > content.size {
            channel.send(.fileSetSize(handle: handle, size: 0), for: self, slot: Slot.seek)
            phase = .writing
        } else if partial.isSealed {
            write(from: partial.size, on: channel)
        } else {
            phase = .reviewing
            review(on: channel)
        }
    }

    /// Requests the next piece to compare, or writes the rest when all pieces have been compared.
    func review(on channel: AFCChannel) {
        guard phase == .reviewing, failure == nil, owed == 0, let handle, let partial else { return }
        guard partial.reviewed < partial.size else { return write(from: partial.reviewed, on: channel) }
        let count = min(UInt64(chunk), partial.size - partial.reviewed)
        channel.send(
            .fileRead(handle: handle, length: count), for: self, slot: Slot.review, expecting: Int(count),
            down: Int(count))
    }

    func takeReview(_ answer: BorrowedReply, on channel: AFCChannel) {
        guard failure == nil, phase == .reviewing, let content, let reviewed = partial?.reviewed else {
            return
        }
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
            partial?.reviewed += UInt64(bytes.count)
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
        meter.moved(Int(clamping: offset), of: index)
        phase = .writing
        write(on: channel)
    }

    // MARK: Interruption

    /// Whether the job was interrupted, so that its file stays.
    var leavesPartial: Bool {
        isContinued && failure?.cutsOff == true
    }

    /// Closes the file and keeps it.
    func leavePartial(on channel: AFCChannel) {
        phase = .cleaning
        if let handle { closePartial(handle, on: channel) }
        // The content is still needed for the seal.
        done()
    }

    func closePartial(_ handle: UInt64, on channel: AFCChannel) {
        self.handle = nil
        channel.send(.fileClose(handle: handle), for: self, slot: Slot.ended)
    }

    /// Seals the file if everything before its end is correct: the existing part was compared or written again, every
    /// write was carried out, and the local file has not changed.
    func takeEnded(_ answer: BorrowedReply, on channel: AFCChannel) {
        defer { content = nil }
        guard answer.failure(subject) == nil, !hasFailedWrite, acknowledged == sent, hasNothingUnknown,
            isFromOneContent, let seal = options.seal
        else { return }
        channel.send(
            .setFileModTime(path: temporary, nanoseconds: UInt64(clamping: seal)), for: self,
            slot: Slot.cleanup)
    }

    /// Whether this job has compared or rewritten all bytes of the earlier job.
    private var hasNothingUnknown: Bool {
        guard let partial, let content else { return false }
        // A file that is too long was truncated to zero.
        return partial.size > content.size || partial.isSealed || sent >= partial.size
    }

    private var isFromOneContent: Bool {
        do throws(TransportError) {
            return try content?.isStill(of: options.modified) ?? false
        } catch {
            return false
        }
    }
}
