# SPDX-License-Identifier: GPL-3.0-or-later
"""The steps of session.py with an iPad that has Marvin."""

import os
import sqlite3

MARVIN = 'com.appstafarian.MarvinIP'


class MarvinSteps:
    def sends_columns_to_marvin(self):
        """Marvin gets collections, lock and word count from the columns of the library, with series, tags and description."""
        self.calibre.send([1])
        record = self.on_device('Marvin', 'Old')['The Sea']
        assert {'Holiday', 'Coast'} <= set(record['collections']), record
        assert record['locked'] is True and record['word_count'] == 4321, record
        assert (record['series'], record['series_index']) == ('Water', 2), record
        assert sorted(record['tags']) == ['Blue', 'Nature'] and 'water' in record['description'], record
        rows = self.marvin(
            'SELECT Author, CalibreSeries, CAST(CalibreSeriesIndex AS REAL), Publisher, Pin, WordCount, UUID FROM Books WHERE Title = ?', 'The Sea')
        assert rows == [('Ann Author', 'Water', 2, 'Shore Press', 1, 4321, self.api.field_for('uuid', 1))], rows
        assert {'Holiday', 'Coast'} <= self.marvins_collections('The Sea'), self.marvins_collections('The Sea')
        subjects = self.marvin('SELECT Subject FROM BookSubjects JOIN Books ON BookID = ID WHERE Title = ?', 'The Sea')
        assert sorted(subjects) == [('Blue',), ('Nature',)], subjects
        book = self.calibre.book('The Sea')
        assert book.in_library == 'UUID' and {'Holiday', 'Coast'} <= set(book.device_collections), book.device_collections

    def changes_marvins_books(self):
        """Title, authors and collections of Marvin's books are changed in the device view."""
        self.calibre.show_device()
        self.calibre.edit('The Sea', 'title', 'The Wide Sea')
        self.calibre.edit('The Wide Sea', 'authors', 'Ann B. Author & Cy Poet')
        self.calibre.edit('The Wide Sea', 'collections', 'Coast, Islands')
        record = self.on_device('Marvin', 'Old')['The Wide Sea']
        assert record['authors'] == ['Ann B. Author', 'Cy Poet'] or ', '.join(record['authors']) == 'Ann B. Author, Cy Poet', record
        assert set(record['collections']) == {'Coast', 'Islands'}, record
        rows = self.marvin('SELECT Author FROM Books WHERE Title = ?', 'The Wide Sea')
        assert len(rows) == 1 and 'Ann B. Author' in rows[0][0] and 'Cy Poet' in rows[0][0], rows
        assert self.marvins_collections('The Wide Sea') == {'Coast', 'Islands'}, self.marvins_collections('The Wide Sea')
        self.calibre.edit('The Wide Sea', 'title', 'The Sea')
        self.calibre.show_library()

    def marvin(self, statement, *values):
        """The rows that a statement gives in Marvin's own database, in the folder of the device."""
        with sqlite3.connect(os.path.join(self.ipad, 'Containers', MARVIN, 'Library', 'mainDb.sqlite')) as database:
            rows = database.execute(statement, values).fetchall()
        database.close()
        return rows

    def marvins_collections(self, title):
        return {name for name, in self.marvin(
            'SELECT Name FROM Books JOIN BookCollections ON BookID = Books.ID JOIN Collections ON CollectionID = Collections.ID '
            'WHERE Title = ?', title)}

    def fetches_annotations(self):
        """Highlights and notes of Marvin are in calibre's annotations."""
        self.marvin(
            'INSERT INTO Highlights (BookID, UUID, Text, Note, NoteDateTime, Colour, Section, StartXPath, StartOffset, Deleted) '
            "SELECT ID, 'h1', 'A short text', 'a note of mine', 1700000000, 1, 1, '/p', 0, 0 FROM Books WHERE Title = 'The Sea'")
        self.reconnect(self.ipad)
        self.calibre.show_library()
        self.calibre.do(lambda: self.calibre.gui.iactions['Fetch Annotations'].fetch_annotations())
        self.calibre.wait_for(lambda: self.api.all_annotations_for_book(1), 'the annotations are in the library')
        found = self.api.all_annotations_for_book(1)
        assert [(entry['user_type'], entry['annotation']['highlighted_text'], entry['annotation']['notes']) for entry in found] == [
            ('device', 'A short text', 'a note of mine')], found
        self.calibre.do(lambda: self.calibre.gui.iactions['Fetch Annotations'].fetch_annotations())
        self.calibre.do(lambda: None)
        self.calibre.wait_until_idle()
        assert len(self.api.all_annotations_for_book(1)) == 1
        self.calibre.wait_for(lambda: not self.calibre.has_messages(), 'the progress of calibre ends')

    def synchronizes_on_connect(self):
        """With automatic management the library's metadata goes to Marvin on connecting, and values that only Marvin has come back."""
        from calibre.utils.config import prefs
        prefs['manage_device_metadata'] = 'on_connect'
        try:
            self.api.set_field('title', {1: 'The Blue Sea'})
            self.api.set_field('tags', {1: ['Quiet']})
            for column, nothing in (('rating', 0), ('#mm_word_count', None), ('#mm_locked', None), ('#mm_collections', ())):
                self.api.set_field(column, {1: nothing})
            self.marvin("UPDATE Books SET Progress = 1.0 WHERE Title = 'The Sea'")
            self.reconnect(self.ipad)
            self.calibre.wait_for(lambda: 'The Blue Sea' in self.on_device('Marvin', 'Old'), 'the title is changed on the iPad')
            record = self.on_device('Marvin', 'Old')['The Blue Sea']
            assert (record['tags'], record['rating']) == (['Quiet'], 4), record
            rows = self.marvin('SELECT Rating, Subject FROM Books JOIN BookSubjects ON BookID = ID WHERE Title = ?', 'The Blue Sea')
            assert rows == [(4, 'Quiet')], rows
            assert self.api.field_for('#finished', 1) is True and self.api.field_for('#part', 1) == 100
            back = [self.api.field_for(column, 1) for column in ('rating', '#mm_word_count', '#mm_locked', '#mm_collections')]
            assert back[:3] == [8, 4321, True] and set(back[3]) == set(record['collections']) != set(), (back, record)
            self.calibre.wait_until_idle()
            updates = self.recorder.count('update')
            self.reconnect(self.ipad)
            assert self.recorder.count('update') == updates, 'A sync that changes nothing sent something.'
        finally:
            prefs['manage_device_metadata'] = 'manual'

    def leaves_connection_mode(self):
        """A Marvin that leaves its connection mode is gone, with one message each time, and back when it returns."""
        for _ in range(2):
            self.phone.set(self.ipad, marvin='not-in-connection-mode')
            self.calibre.wait_until_gone()
            self.calibre.expect_message('connection')
            self.phone.set(self.ipad, marvin='normal')
            self.wait()

    def applies_plugboards(self):
        """A plugboard for this plugin changes the sent metadata, which “Update cached metadata on device” keeps."""
        self.calibre.do(lambda: self.api.set_pref('plugboards', {'epub': {'OVERLAYHOST': [('{title} ({series})', 'title')]}}))
        self.calibre.delete(['The Blue Sea'])
        self.calibre.show_library()
        self.calibre.send([1])
        assert 'The Blue Sea (Water)' in self.on_device('Marvin', 'Old'), self.on_device('Marvin', 'Old').keys()
        updates = self.recorder.count('update')
        for _ in range(2):
            self.calibre.post(lambda: self.calibre.gui.update_metadata_on_device())
            self.calibre.do(lambda: None)
            self.calibre.wait_until_idle()
            assert 'The Blue Sea (Water)' in self.on_device('Marvin', 'Old'), self.on_device('Marvin', 'Old').keys()
            assert 'The Blue Sea (Water)' in self.calibre.titles() and self.calibre.messages() == [], self.calibre.messages()
        assert self.recorder.count('update') == updates, 'An update that changes nothing sent something.'
        self.calibre.do(lambda: self.api.set_pref('plugboards', {}))
