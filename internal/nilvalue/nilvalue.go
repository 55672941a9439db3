// Package nilvalue finds a nil that an interface hides.
package nilvalue

import "reflect"

// Is says whether v is nil: the interface itself, or a pointer, func, map, slice or
// channel in it.
func Is(v any) bool {
	switch value := reflect.ValueOf(v); value.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Func, reflect.Map, reflect.Slice, reflect.Chan, reflect.Interface:
		return value.IsNil()
	}
	return false
}
