// Checks a log in a folder with Go's own sumdb code, which is independent of ours:
// its note, its tiles, its entries, and the proofs in proofs.json. Prints the result as one line of JSON.
package main

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type proofs struct {
	LogKey     string
	WitnessKey string
	Inclusion  []struct {
		Index, Size int64
		Hashes      []tlog.Hash
	}
	Consistency []struct {
		Older, Newer int64
		Hashes       []tlog.Hash
	}
}

// In Go, paths contain the height 8, here they do not; partial tiles have the same paths.
type folder string

func (f folder) Height() int                      { return height }
func (f folder) SaveTiles([]tlog.Tile, [][]byte)  {}
func (f folder) read(path string) ([]byte, error) { return os.ReadFile(filepath.Join(string(f), path)) }
func (f folder) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	all := make([][]byte, len(tiles))
	for i, tile := range tiles {
		data, err := f.read(strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		all[i] = data
	}
	return all, nil
}

// A witness: its signatures contain a time (C2SP, tlog-cosignature).
type witness struct {
	name string
	id   uint32
	key  ed25519.PublicKey
}

func newWitness(vkey string) witness {
	parts := strings.SplitN(vkey, "+", 3)
	key, err := base64.StdEncoding.DecodeString(parts[2])
	must(err)
	digest := sha256.Sum256(append([]byte(parts[0]+"\n"), key...))
	id := binary.BigEndian.Uint32(digest[:])
	demand(key[0] == 4 && fmt.Sprintf("%08x", id) == parts[1], "the witness' vkey has another id")
	return witness{parts[0], id, key[1:]}
}
func (w witness) Name() string    { return w.name }
func (w witness) KeyHash() uint32 { return w.id }
func (w witness) Verify(text, sig []byte) bool {
	if len(sig) != 8+ed25519.SignatureSize {
		return false
	}
	head := fmt.Sprintf("cosignature/v1\ntime %d\n", binary.BigEndian.Uint64(sig))
	return ed25519.Verify(w.key, append([]byte(head), text...), sig[8:])
}

func main() {
	dir := folder(os.Args[1])
	var given proofs
	text, err := dir.read("proofs.json")
	must(err)
	must(json.Unmarshal(text, &given))

	log, err := note.NewVerifier(given.LogKey)
	must(err)
	signed, err := dir.read("checkpoint")
	must(err)
	opened, err := note.Open(signed, note.VerifierList(log, newWitness(given.WitnessKey)))
	must(err)
	demand(len(opened.Sigs) == 2 && len(opened.UnverifiedSigs) == 0, "not signed by the log and the witness")
	lines := strings.Split(opened.Text, "\n")
	demand(lines[0] == log.Name() && len(lines) == 4, "the checkpoint has other lines")
	size, err := strconv.ParseInt(lines[1], 10, 64)
	must(err)
	root, err := tlog.ParseHash(lines[2])
	must(err)

	// Whatever it reads it checks against the root.
	hashes := tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, dir)
	at := checkEntries(dir, size, hashes)
	heads := map[int64]tlog.Hash{size: root}
	head := func(n int64) tlog.Hash {
		if _, known := heads[n]; !known {
			heads[n], err = tlog.TreeHash(n, hashes)
			must(err)
		}
		return heads[n]
	}
	for _, one := range given.Inclusion {
		leaf, err := hashes.ReadHashes([]int64{tlog.StoredHashIndex(0, one.Index)})
		must(err)
		must(tlog.CheckRecord(one.Hashes, one.Size, head(one.Size), one.Index, leaf[0]))
		own, err := tlog.ProveRecord(one.Size, one.Index, hashes)
		must(err)
		demand(same(own, one.Hashes), "an inclusion proof differs")
	}
	for _, one := range given.Consistency {
		must(tlog.CheckTree(one.Hashes, one.Newer, head(one.Newer), one.Older, head(one.Older)))
		own, err := tlog.ProveTree(one.Newer, one.Older, hashes)
		must(err)
		demand(same(own, one.Hashes), "a consistency proof differs")
	}

	// And a note of Go's own, for the other direction.
	secret, public, err := note.GenerateKey(rand.Reader, "go.example/log")
	must(err)
	signer, err := note.NewSigner(secret)
	must(err)
	own, err := note.Sign(&note.Note{Text: "go.example/log\n" + lines[1] + "\n" + lines[2] + "\n"}, signer)
	must(err)
	must(json.NewEncoder(os.Stdout).Encode(map[string]interface{}{
		"entries": at, "inclusion": len(given.Inclusion), "consistency": len(given.Consistency),
		"vkey": public, "note": string(own),
	}))
}

// Every entry of every bundle has the hash that the tree has for it.
func checkEntries(dir folder, size int64, hashes tlog.HashReader) int64 {
	at := int64(0)
	for n := int64(0); at < size; n++ {
		width := 256
		if size-at < 256 {
			width = int(size - at)
		}
		// What Go calls a data tile has level -1.
		tile := tlog.Tile{H: height, L: -1, N: n, W: width}
		bundle, err := dir.read(strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1))
		must(err)
		indexes := make([]int64, width)
		for i := range indexes {
			indexes[i] = tlog.StoredHashIndex(0, at+int64(i))
		}
		want, err := hashes.ReadHashes(indexes)
		must(err)
		for i := range indexes {
			demand(len(bundle) >= 2, "a bundle is too short")
			end := 2 + int(binary.BigEndian.Uint16(bundle))
			demand(len(bundle) >= end && tlog.RecordHash(bundle[2:end]) == want[i], "an entry is not the tree's")
			bundle = bundle[end:]
		}
		demand(bytes.Equal(bundle, nil), "a bundle goes on after its entries")
		at += int64(width)
	}
	return at
}

func same(own, given []tlog.Hash) bool {
	return len(own) == len(given) && (len(own) == 0 || reflect.DeepEqual(own, given))
}

func must(err error) { demand(err == nil, fmt.Sprint(err)) }

func demand(holds bool, otherwise string) {
	if !holds {
		fmt.Fprintln(os.Stderr, otherwise)
		os.Exit(1)
	}
}
