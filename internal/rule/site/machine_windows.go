package site

import "golang.org/x/sys/windows/registry"

// installationID returns the id of the installed system.
func installationID() string {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`,
		registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return ""
	}
	defer key.Close()
	id, _, _ := key.GetStringValue("MachineGuid")
	return id
}
