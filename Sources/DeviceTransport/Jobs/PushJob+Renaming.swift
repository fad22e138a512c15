import DeviceWire

extension PushJob {
    func rename(on channel: AFCChannel) {
        phase = .renaming
        isInDoubt = true
        channel.send(.renamePath(from: temporary, to: path.text), for: self, slot: Slot.rename)
    }

    func takeRename(_ answer: AFCAnswer, on channel: AFCChannel) {
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
            // The new content is complete and verified, so its predecessor may go.
            removedTarget = true
            channel.send(.removePath(path: path.text), for: self, slot: Slot.replace)
            return rename(on: channel)
        }
        if case .status(.objectNotFound) = answer, looks == 1, failure == nil {
            // Then the one before was carried out all the same, since the look.
            isInDoubt = true
            return look(on: channel)
        }
        if let error = answer.failure(subject) { return fail(refusal ?? error) }
        hasTemporary = false
        removeFormer(on: channel)
        end()
    }

    /// Takes the answer to the removal of the predecessor. The rename behind it decides, since what could not be removed may have
    /// gone by then, as it has where nothing was found.
    func takeReplacement(_ answer: AFCAnswer) {
        guard let error = answer.failure(subject), error.code != .notFound else { return }
        removedTarget = false
        if answer.meansShortage { removalWasHeldBack = true } else { refusal = error }
    }

    /// Ends for now; the job begins again in `phase`, over any connection.
    private func holdBack(_ answer: AFCAnswer, in phase: Phase) {
        self.phase = phase
        holdBack(answer)
    }

    // MARK: When the answer was lost

    /// Looks, over another connection, whether the rename that was not answered has happened.
    func look(on channel: AFCChannel) {
        phase = .looking
        looks += 1
        left = nil
        for (path, slot) in [(temporary, Slot.left), (path.text, Slot.placed)] {
            channel.send(
                .getFileInfo(path: path), for: self, slot: slot, expecting: RequestJob.maximumListing)
        }
    }

    func takeLeft(_ answer: AFCAnswer) {
        if answer.meansShortage, failure == nil { return holdBack(answer) }
        do throws(TransportError) { left = try FileStatus(ifThere: answer, temporary) } catch { fail(error) }
    }

    func takePlaced(_ answer: AFCAnswer, on channel: AFCChannel) {
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
            // Somebody else was at work; nothing of what is there now is certain to be ours.
            (hasTemporary, removedTarget) = (false, false)
            return fail(.endedUnanswered)
        }
        isInDoubt = false
        guard placed == nil || options.replacesExisting else {
            return fail(TransportError(.exists, "a file with this name already exists"))
        }
        // A removal that was sent over the lost connection may still be carried out, and the rename after it. To remove once more
        // could then hit the new file; so where the device does not replace, both stay.
        rename(on: channel)
    }

    /// Whether this is the file that was checked. Its name may change, but neither its size nor its time.
    private func isOurs(_ found: FileStatus?) -> Bool {
        guard let found, let status else { return false }
        return found.kind == .file && found.size == status.size && found.modified == status.modified
    }
}
