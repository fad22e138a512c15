import DeviceWire
import Platform

extension PushJob {
    /// Reads the temporary file back to compare it with the content that was sent.
    func beginComparing(on channel: AFCChannel) {
        phase = .comparing
        readDigest = Digest(.sha256)
        reread = 0
        channel.send(
            .fileOpen(path: temporary, mode: AFCOpenMode.read.rawValue), for: self, slot: Slot.reopen)
    }

    func takeReopen(_ answer: BorrowedReply, on channel: AFCChannel) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        do throws(TransportError) {
            handle = try answer.handle(subject)
        } catch {
            return fail(error)
        }
        if failure == nil { compare(on: channel) }
    }

    /// Requests the next piece, or compares when all have arrived. It requests one piece at a time, because
    /// reliability matters more than speed here.
    func compare(on channel: AFCChannel) {
        guard phase == .comparing, failure == nil, let handle, let content, owed == 0 else { return }
        if reread < content.size {
            let count = min(UInt64(chunk), content.size - reread)
            channel.send(
                .fileRead(handle: handle, length: count), for: self, slot: Slot.reread, expecting: Int(count),
                down: Int(count))
            return
        }
        self.handle = nil
        channel.send(.fileClose(handle: handle), for: nil)
        guard let sent = content.digest?.finish(), let read = readDigest?.finish() else {
            fail(TransportError(.internalFailure, "The contents could not be compared."))
            return cleanUp(on: channel)
        }
        guard sent == read else {
            fail(
                TransportError(
                    .verificationFailed, "The device has different bytes than were sent.", hint: "Try again.")
            )
            return cleanUp(on: channel)
        }
        rename(on: channel)
    }

    func takeReread(_ answer: BorrowedReply, on channel: AFCChannel) {
        guard failure == nil else { return }
        do throws(TransportError) {
            let bytes = try answer.data(subject)
            guard !bytes.isEmpty else {
                throw TransportError(.verificationFailed, "The device has fewer bytes than were sent.")
            }
            readDigest?.add(bytes)
            reread += UInt64(bytes.count)
        } catch {
            return fail(error)
        }
        compare(on: channel)
    }
}

extension PushJob {
    func rename(on channel: AFCChannel) {
        phase = .renaming
        isInDoubt = true
        channel.send(.renamePath(from: temporary, to: path.text), for: self, slot: Slot.rename)
    }

    func takeRename(_ answer: BorrowedReply, on channel: AFCChannel) {
        isInDoubt = false
        let removalWasHeldBack = removalWasHeldBack
        self.removalWasHeldBack = false
        if failure == nil {
            if answer.meansShortage { return holdBack(answer, in: .verified) }
            if case .status(.objectExists) = answer, removalWasHeldBack {
                return holdBack(.status(.noResources), in: .verified)
            }
        }
        if case .status(.objectExists) = answer, options.replacesExisting, !removedTarget, refusal == nil,
            failure == nil
        {
            // The new content is complete and verified, so the old file may be removed.
            removedTarget = true
            channel.send(.removePath(path: path.text), for: self, slot: Slot.replace)
            return rename(on: channel)
        }
        if case .status(.objectNotFound) = answer, looks == 1, failure == nil {
            // The first rename was then carried out after the check.
            isInDoubt = true
            return requestInfo(on: channel)
        }
        if let error = answer.failure(subject) { return fail(refusal ?? error) }
        hasTemporary = false
        removeFormer(on: channel)
        end()
    }

    /// Handles the answer to the removal of the old file. Whether it succeeded does not matter: the rename that
    /// follows decides, because the old file may be gone in any case.
    func takeReplacement(_ answer: BorrowedReply) {
        guard let error = answer.failure(subject), error.code != .notFound else { return }
        removedTarget = false
        if answer.meansShortage { removalWasHeldBack = true } else { refusal = error }
    }

    /// Ends for now. The job begins again in `phase`, over any connection.
    private func holdBack(_ answer: BorrowedReply, in phase: Phase) {
        self.phase = phase
        holdBack(answer)
    }

    // MARK: Lost answers

    /// Checks over another connection whether an unanswered rename was carried out.
    func requestInfo(on channel: AFCChannel) {
        phase = .looking
        looks += 1
        left = nil
        for (path, slot) in [(temporary, Slot.left), (path.text, Slot.placed)] {
            channel.send(
                .getFileInfo(path: path), for: self, slot: slot, expecting: RequestJob.maximumListing)
        }
    }

    func takeLeft(_ answer: BorrowedReply) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        do throws(TransportError) { left = try FileStatus(ifThere: answer, temporary) } catch { fail(error) }
    }

    func takePlaced(_ answer: BorrowedReply, on channel: AFCChannel) {
        guard phase == .looking, failure == nil else { return }
        if answer.meansShortage { return holdBack(answer) }
        guard heldBack == nil else { return }
        let placed: FileStatus?
        do throws(TransportError) { placed = try FileStatus(ifThere: answer, subject) } catch {
            return fail(error)
        }
        if left == nil, isOurs(placed) {
            (hasTemporary, isInDoubt) = (false, false)
            removeFormer(on: channel)
            return end()
        }
        guard isOurs(left) else {
            // Another program changed the files, so they can no longer be attributed to this job.
            (hasTemporary, removedTarget) = (false, false)
            return fail(.endedUnanswered)
        }
        isInDoubt = false
        guard placed == nil || options.replacesExisting else {
            return fail(TransportError(.exists, "A file with this name already exists."))
        }
        // The device may still carry out a removal and a rename of the lost connection. Another removal could then
        // affect the new file, so both files stay if the device does not replace files.
        rename(on: channel)
    }

    /// Whether this is the file that was verified. Its name may change, but not its size or its time.
    private func isOurs(_ found: FileStatus?) -> Bool {
        guard let found, let status else { return false }
        return found.kind == .file && found.size == status.size && found.modified == status.modified
    }
}

extension PushJob {
    /// Closes and removes the temporary file, once.
    func cleanUp(on channel: AFCChannel) {
        guard phase != .cleaning, phase != .ended else {
            // A handle that arrives late must be closed too.
            guard let handle else { return }
            return leavesPartial ? closePartial(handle, on: channel) : closeAndRemove(handle, on: channel)
        }
        if leavesPartial { return leavePartial(on: channel) }
        // If the old file was removed before a failed rename, the temporary file is the only copy, so keep it.
        if removedTarget {
            failure?.hint = "The complete new file is on the device as \(temporary)."
            return end()
        }
        let hadTemporary = hasTemporary
        phase = .cleaning
        removeFormer(on: channel)
        if let handle {
            closeAndRemove(handle, on: channel)
        } else if hadTemporary {
            channel.send(.removePath(path: temporary), for: self, slot: Slot.removal)
        }
        end()
    }

    func takeRemoval(_ answer: BorrowedReply) {
        let failure = answer.failure(temporary)
        guard failure == nil || failure?.code == .notFound else { return }
        remainsAreGone(wereThere: failure == nil, forGood: false)
    }

    private func closeAndRemove(_ handle: UInt64, on channel: AFCChannel) {
        self.handle = nil
        channel.send(.fileClose(handle: handle), for: self, slot: Slot.cleanup)
        channel.send(.removePath(path: temporary), for: self, slot: Slot.removal)
    }
}
