package embedded

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// mapping is a file mapped read-only and shared: what a writer commits is seen.
type mapping struct{ data []byte }

// mapFile maps a whole file, which must not be empty.
func mapFile(path string) (m *mapping, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	size := info.Size()
	if size == 0 || size != int64(int(size)) {
		return nil, fmt.Errorf("%s: %w: it has %d bytes", path, ErrDamaged, size)
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(size), syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s into memory: %w", path, err)
	}
	return &mapping{data: data}, nil
}

// close unmaps; slices of the data must not be used afterwards.
func (m *mapping) close() error {
	if m == nil || m.data == nil {
		return nil
	}
	data := m.data
	m.data = nil
	return syscall.Munmap(data)
}

// number is what the files hold arrays of, in little-endian order.
type number interface {
	uint8 | int8 | uint32 | int32 | uint64 | float32 | codeMeta
}

// view reads bytes as an array without copying. The files align their sections.
func view[T number](b []byte) []T {
	var zero T
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&b[0])), len(b)/int(unsafe.Sizeof(zero)))
}

// raw is the inverse of view.
func raw[T number](s []T) []byte {
	var zero T
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(zero)))
}

// littleEndian is false on machines whose arrays the files don't fit.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1
