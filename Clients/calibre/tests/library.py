# SPDX-License-Identifier: GPL-3.0-or-later
"""A small calibre library, made by calibre's own commands, with books made here: EPUBs and a PDF with covers."""

import os
import struct
import subprocess
import zipfile
import zlib


def png(red, green, blue, width=60, height=90):
    """An image of one colour."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))
    rows = (b'\0' + bytes((red, green, blue)) * width) * height
    return b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', width, height, 8, 2, 0, 0, 0)) + \
        chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b'')


def epub(path, title, author, text='A short text.', color=(40, 90, 160)):
    """An EPUB with a cover, small and valid."""
    opf = f'''<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:title>{title}</dc:title><dc:creator>{author}</dc:creator><dc:language>en</dc:language><dc:identifier id="id">made:{title}</dc:identifier>
<meta name="cover" content="cover"/></metadata><manifest><item id="cover" href="cover.png" media-type="image/png"/>
<item id="text" href="text.xhtml" media-type="application/xhtml+xml"/><item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>
</manifest><spine toc="ncx"><itemref idref="text"/></spine></package>'''
    with zipfile.ZipFile(path, 'w') as archive:
        archive.writestr('mimetype', 'application/epub+zip')
        archive.writestr(
            'META-INF/container.xml',
            '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container" version="1.0"><rootfiles>'
            '<rootfile full-path="content.opf" media-type="application/oebps-package+xml"/></rootfiles></container>')
        archive.writestr('content.opf', opf)
        archive.writestr(
            'toc.ncx', '<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><head/><docTitle><text>x</text></docTitle>'
            '<navMap><navPoint id="a" playOrder="1"><navLabel><text>Text</text></navLabel><content src="text.xhtml"/></navPoint></navMap></ncx>')
        archive.writestr(
            'text.xhtml', f'<html xmlns="http://www.w3.org/1999/xhtml"><head><title>{title}</title></head><body><h1>{title}</h1>'
            f'<p>{text}</p></body></html>')
        archive.writestr('cover.png', png(*color))
    return path


def pdf(path, title, author):
    """A PDF with one empty page."""
    objects = [
        '<< /Type /Catalog /Pages 2 0 R >>', '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
        '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 300] >>', f'<< /Title ({title}) /Author ({author}) >>']
    content, offsets = b'%PDF-1.4\n', []
    for number, text in enumerate(objects, 1):
        offsets.append(len(content))
        content += f'{number} 0 obj\n{text}\nendobj\n'.encode()
    start = len(content)
    content += f'xref\n0 {len(objects) + 1}\n0000000000 65535 f \n'.encode()
    content += b''.join(f'{offset:010} 00000 n \n'.encode() for offset in offsets)
    content += f'trailer << /Size {len(objects) + 1} /Root 1 0 R /Info 4 0 R >>\nstartxref\n{start}\n%%EOF\n'.encode()
    with open(path, 'wb') as file:
        file.write(content)
    return path


def calibredb(library, environment, *arguments):
    return subprocess.run(
        ['calibredb', '--with-library', library, *arguments], env=environment, check=True, stdout=subprocess.PIPE, text=True,
        stdin=subprocess.DEVNULL, timeout=120).stdout


def make(folder, environment):
    """The library: three books, four columns of the user, and its folder as the result.

    1 The Sea (EPUB, series, tags, collections and a word count) · 2 The Hill (PDF) · 3 The Wood (EPUB and PDF)
    """
    os.makedirs(folder)
    work = folder + '-files'
    os.makedirs(work)
    cover = os.path.join(work, 'cover.png')
    with open(cover, 'wb') as file:
        file.write(png(160, 60, 40))
    epub(os.path.join(work, 'sea.epub'), 'The Sea', 'Ann Author')
    pdf(os.path.join(work, 'hill.pdf'), 'The Hill', 'Bo Writer')
    epub(os.path.join(work, 'wood.epub'), 'The Wood', 'Cy Poet', color=(30, 120, 50))
    pdf(os.path.join(work, 'wood.pdf'), 'The Wood', 'Cy Poet')

    def db(*arguments):
        return calibredb(folder, environment, *arguments)
    for name, heading, kind, extra in (
        ('mm_collections', 'Collections', 'text', ['--is-multiple']), ('mm_locked', 'Locked', 'bool', []),
        ('mm_word_count', 'Word count', 'int', []), ('finished', 'Finished', 'bool', []), ('part', 'Part read', 'int', []),
    ):
        db('add_custom_column', *extra, name, heading, kind)
    for name in ('sea.epub', 'hill.pdf', 'wood.epub'):
        db('add', '--cover', cover, os.path.join(work, name))
    db('add_format', '3', os.path.join(work, 'wood.pdf'))
    db('set_metadata', '1', *(
        part for field in (
            'series:Water', 'series_index:2', 'tags:Nature,Blue', 'rating:4', 'publisher:Shore Press', 'pubdate:2001-02-03',
            'comments:<p>About <b>water</b>.</p>', '#mm_collections:Holiday,Coast', '#mm_word_count:4321', '#mm_locked:yes',
        ) for part in ('--field', field)))
    return folder
