package rank

import "reflect"

// isNil says that nothing is in v: nil itself, or a nil pointer, func, map or the like
// in an interface, which would panic when it is used.
func isNil(v any) bool {
	if v == nil {
		return true
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan, reflect.UnsafePointer:
		return r.IsNil()
	}
	return false
}
