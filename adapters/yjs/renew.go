package yjs

import (
	"slices"

	"github.com/atelierhq/atelier/ports/replica"
)

// manyPieces is the number of pieces from which a text is rewritten. Fewer cost little,
// and people who have such a text open keep editing it.
const manyPieces = 64

// Renew implements replica.Document. The items of a replaced text become garbage, one
// piece for each run of clocks of a client.
func (d *Document) Renew(least int) replica.Change {
	d.wake()
	worn, pieces := d.worn()
	if len(worn) == 0 || pieces < least {
		return replica.Change{}
	}
	if d.store.state(d.client) > maxOwnState {
		d.client = d.newClient()
	}
	tx := d.begin()
	for _, key := range worn {
		var text []byte
		for part := d.text(key).typ().start; part != nil; part = part.right {
			if part.isShown() {
				text = append(text, part.text.bytes()...)
			}
		}
		files := d.store.files
		in := tx.write(files, &key, files.entries[key], nil, content{refType, []byte{typeText}}, 1).typ()
		if len(text) > 0 {
			tx.write(in, nil, nil, nil, content{refString, text}, utf16Length(text))
		}
	}
	return tx.commit()
}

// worn returns the texts that consist of many pieces, sorted, and the total number of
// pieces.
func (d *Document) worn() (keys []string, pieces int) {
	for key := range d.store.files.entries {
		it := d.text(key)
		if it == nil {
			continue
		}
		count := 0
		for part := it.typ().start; part != nil; part = part.right {
			count++
		}
		if count >= manyPieces {
			keys = append(keys, key)
			pieces += count
		}
	}
	slices.Sort(keys)
	return keys, pieces
}
