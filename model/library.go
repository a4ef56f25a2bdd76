package model

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// LibraryVariable is the environment variable that names the ONNX Runtime library.
const LibraryVariable = "LEXAGENT_ONNXRUNTIME"

// ErrNoLibrary is returned when libonnxruntime lies nowhere it is looked for.
var ErrNoLibrary = errors.New("the ONNX Runtime library is missing: run `make build`, which fetches it, or set " + LibraryVariable + " to its path")

// libraryFolder holds the library in a checkout, beside bin/ and the sources.
var libraryFolder = filepath.Join("var", "onnxruntime")

// FindLibrary returns the path of libonnxruntime: path if given, else what
// LEXAGENT_ONNXRUNTIME says, else the newest in ../var/onnxruntime beside the
// executable's folder, else in var/onnxruntime of the working directory.
func FindLibrary(path string) (string, error) {
	if path == "" {
		path = os.Getenv(LibraryVariable)
	}
	if path != "" {
		if info, err := os.Stat(path); err != nil || info.IsDir() {
			return "", fmt.Errorf("there is no ONNX Runtime library at %s: run `make build`, or correct %s", path, LibraryVariable)
		}
		return path, nil
	}
	var roots []string
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		roots = append(roots, filepath.Join(filepath.Dir(exe), ".."))
	}
	for _, root := range append(roots, ".") {
		if found := libraryIn(filepath.Join(root, libraryFolder)); found != "" {
			return filepath.Abs(found)
		}
	}
	return "", ErrNoLibrary
}

// libraryIn returns the library of a folder, the one with the last name if there
// are several, or nothing.
func libraryIn(folder string) string {
	var found []string
	for _, pattern := range []string{"libonnxruntime.so*", "libonnxruntime*.dylib"} {
		// Glob fails only on a bad pattern, and these are good.
		names, _ := filepath.Glob(filepath.Join(folder, pattern))
		found = append(found, names...)
	}
	if len(found) == 0 {
		return ""
	}
	return slices.Max(found)
}

// environment is the process's one ONNX Runtime environment. It is made at the
// first use and stays until the process ends: sessions of several encoders share
// it, and the library can't be loaded twice.
var environment struct {
	sync.Mutex
	library string
}

// startEnvironment loads the library and makes the environment, once.
func startEnvironment(path string) error {
	library, err := FindLibrary(path)
	environment.Lock()
	defer environment.Unlock()
	if environment.library != "" {
		return nil // loaded before: where another lies doesn't matter any more
	}
	if err != nil {
		return err
	}
	ort.SetSharedLibraryPath(library)
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		return fmt.Errorf("load the ONNX Runtime library %s (1.24 or newer is needed): %w", library, err)
	}
	environment.library = library
	return nil
}
