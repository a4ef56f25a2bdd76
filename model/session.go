package model

import (
	"errors"
	"fmt"
	"math"

	ort "github.com/yalue/onnxruntime_go"
)

// session runs one ONNX model. Each run uses one thread, the caller's, so that as
// many runs as there are cores go on side by side and share one copy of the weights.
type session struct {
	run     *ort.DynamicAdvancedSession
	inputs  []string
	dim     int
	pooling string
}

// openSession loads the model at path and checks that its inputs are known and
// that its output fits the description.
func openSession(path string, c Config) (*session, error) {
	inputs, output, err := signature(path)
	if err != nil {
		return nil, fmt.Errorf("the encoder's model %s can't be used (is it truncated?): fetch it again, or set LEXAGENT_ENCODER to another encoder's folder and run `lexagent ingest`: %w", path, err)
	}
	if err := checkOutput(output, c); err != nil {
		return nil, fmt.Errorf("the encoder's model %s doesn't fit its description: %w; correct %s beside it, then run `lexagent ingest`", path, err, ConfigFile)
	}
	options, err := sessionOptions(ort.GraphOptimizationLevelEnableAll)
	if err != nil {
		return nil, err
	}
	run, err := ort.NewDynamicAdvancedSession(path, inputs, []string{output.Name}, options)
	if err := errors.Join(err, options.Destroy()); err != nil {
		return nil, fmt.Errorf("open the encoder's model %s: %w", path, err)
	}
	return &session{run: run, inputs: inputs, dim: c.Dim, pooling: c.Pooling}, nil
}

// signature reads the names of the inputs, and the first output, from the file.
func signature(path string) ([]string, ort.InputOutputInfo, error) {
	options, err := sessionOptions(ort.GraphOptimizationLevelDisableAll)
	if err != nil {
		return nil, ort.InputOutputInfo{}, err
	}
	in, out, err := ort.GetInputOutputInfoWithOptions(path, options)
	if err := errors.Join(err, options.Destroy()); err != nil {
		return nil, ort.InputOutputInfo{}, err
	}
	var names []string
	hasIDs := false
	for _, i := range in {
		switch i.Name {
		case "input_ids":
			hasIDs = true
		case "attention_mask", "token_type_ids":
		default:
			return nil, ort.InputOutputInfo{}, fmt.Errorf("it wants an input %q, which is unknown", i.Name)
		}
		if i.DataType != ort.TensorElementDataTypeInt64 {
			return nil, ort.InputOutputInfo{}, fmt.Errorf("its input %q is not of 64-bit integers", i.Name)
		}
		names = append(names, i.Name)
	}
	if !hasIDs || len(out) == 0 {
		return nil, ort.InputOutputInfo{}, errors.New("it lacks the input input_ids or any output")
	}
	return names, out[0], nil
}

func checkOutput(output ort.InputOutputInfo, c Config) error {
	rank := 3
	if c.Pooling == PoolNone {
		rank = 2
	}
	shape := output.Dimensions
	if output.DataType != ort.TensorElementDataTypeFloat || len(shape) != rank {
		return fmt.Errorf("pooling %q needs an output of rank %d in 32-bit floats, and %q is another", c.Pooling, rank, output.Name)
	}
	if last := shape[rank-1]; last > 0 && last != int64(c.Dim) {
		return fmt.Errorf("its vectors have %d dimensions, not %d", last, c.Dim)
	}
	return nil
}

func sessionOptions(level ort.GraphOptimizationLevel) (*ort.SessionOptions, error) {
	o, err := ort.NewSessionOptions()
	if err != nil {
		return nil, fmt.Errorf("make options for ONNX Runtime: %w", err)
	}
	err = errors.Join(
		o.SetIntraOpNumThreads(1),
		o.SetInterOpNumThreads(1),
		o.SetGraphOptimizationLevel(level),
		// Patterns are kept for each shape seen, and texts come in hundreds of shapes.
		o.SetMemPattern(false),
	)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("set options of ONNX Runtime: %w", err), o.Destroy())
	}
	return o, nil
}

// vectors runs the model on texts of equal length: ids holds rows texts of width
// tokens each. It writes the unit vectors to out, rows × dim.
//
// Texts of equal length need no padding, so a text's vector doesn't depend on
// which texts are computed with it.
func (s *session) vectors(ids []int64, rows, width int, out []float32) (err error) {
	shape := ort.NewShape(int64(rows), int64(width))
	values := make([]ort.Value, 0, len(s.inputs))
	defer func() {
		for _, v := range values {
			err = errors.Join(err, v.Destroy())
		}
	}()
	for _, name := range s.inputs {
		data := ids
		switch name {
		case "attention_mask":
			data = repeated(1, len(ids))
		case "token_type_ids":
			data = repeated(0, len(ids))
		}
		v, err := ort.NewTensor(shape, data)
		if err != nil {
			return fmt.Errorf("hand %s to the encoder: %w", name, err)
		}
		values = append(values, v)
	}
	results := []ort.Value{nil}
	if err := s.run.Run(values, results); err != nil {
		return fmt.Errorf("run the encoder: %w", err)
	}
	defer func() { err = errors.Join(err, results[0].Destroy()) }()
	tensor, ok := results[0].(*ort.Tensor[float32])
	if !ok {
		return errors.New("the encoder's output is not of 32-bit floats")
	}
	return s.pool(tensor.GetData(), rows, width, out)
}

func repeated(v int64, n int) []int64 {
	s := make([]int64, n)
	if v != 0 {
		for i := range s {
			s[i] = v
		}
	}
	return s
}

// pool makes one unit vector a text of the model's output.
func (s *session) pool(data []float32, rows, width int, out []float32) error {
	tokens := width
	if s.pooling == PoolNone {
		tokens = 1
	}
	if len(data) != rows*tokens*s.dim {
		return fmt.Errorf("the encoder gave %d numbers for %d texts of %d tokens, not %d a text or token", len(data), rows, width, s.dim)
	}
	for r := range rows {
		row := data[r*tokens*s.dim : (r+1)*tokens*s.dim]
		v := out[r*s.dim : (r+1)*s.dim]
		copy(v, row)
		if s.pooling == PoolMean {
			for t := s.dim; t < len(row); t++ {
				v[t%s.dim] += row[t]
			}
		}
		if !normalize(v) {
			return errors.New("the encoder gave a vector without length: its model file is damaged or doesn't suit this processor")
		}
	}
	return nil
}

// normalize makes v a unit vector; false if it has no length or isn't finite.
func normalize(v []float32) bool {
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return true
}

func (s *session) close() error {
	if err := s.run.Destroy(); err != nil {
		return fmt.Errorf("close the encoder: %w", err)
	}
	return nil
}
